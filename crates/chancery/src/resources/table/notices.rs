//! Who hears of what happens.

use super::{
    super::{Answered, CHANGE, CREATE, DELETE, Kind, List, Loss, Member, PLAIN, Resource, SHOW, Verb},
    NAME, column, column_while, filter, filter_of, member,
};

const TARGET: &str = "/api/v2/notice-targets/{}";

const URL: Member = member("url", "/webhook/url", Kind::Text, "Where it is: an https address");
const EMAIL: Member = member("email", "/email/address", Kind::Text, "A mailbox in the place of a webhook");
const SHAPE: Member = member("shape", "/webhook/shape", Kind::Text, "Chancery, Slack or Teams");
const SECRET: Member =
    member("secret-file", "/secret", Kind::Key, "File with the key by which notices are signed: 24 to 64 bytes");
const KINDS: Member =
    member("kind", "/kinds", Kind::Texts, "Which notices it gets, such as Waiting; several by commas");
const SERVICES: Member =
    member("service", "/serviceUuids", Kind::SomeOf("service"), "A service of whose requests it hears; repeated");

pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "notice-target",
        about: "Who hears of what waits, was decided, ends or failed",
        one: "a target of notices",
        list: Some(List { path: "/api/v2/notice-targets", example: "chancery notice-target list", ..PLAIN }),
        item: Some(TARGET),
        is_endless: false,
        columns: &[
            NAME,
            column("ENABLED", "/enabled"),
            column("WAITING", "/deliveries/waiting"),
            column("DELIVERED", "/deliveries/delivered"),
            column("FAILURES", "/deliveries/failures"),
            column_while("ERROR", "/deliveries/error", "/deliveries/failures"),
        ],
        verbs: &[
            Verb { path: TARGET, example: "chancery notice-target show alerts", ..SHOW },
            Verb {
                about: "Makes one, which takes two persons",
                path: "/api/v2/notice-targets",
                members: &[member("name", "/name", Kind::Text, "Its name"), URL, EMAIL, SHAPE, SECRET, KINDS, SERVICES],
                example: "chancery notice-target create --name alerts --url https://hooks.example.org/chancery \
                    --shape Chancery --secret-file hook.key --kind Waiting,Failed",
                ..CREATE
            },
            Verb {
                about: "Changes one, which takes two persons",
                path: TARGET,
                members: &[
                    member("name", "/name", Kind::Text, "Its new name"),
                    URL,
                    EMAIL,
                    SHAPE,
                    SECRET,
                    KINDS,
                    SERVICES,
                    member("enabled", "/enabled", Kind::Switch, "Whether it gets notices at all"),
                ],
                example: "chancery notice-target change alerts --enabled false",
                ..CHANGE
            },
            Verb {
                name: "test",
                about: "Sends it a notice at once, and shows what came back",
                path: "/api/v2/notice-targets/{}/test",
                example: "chancery notice-target test alerts",
                answer: Answered::Tried,
                ..CREATE
            },
            Verb {
                path: TARGET,
                loses: Some(Loss {
                    says: "a target that is deleted, and what waits for it, cannot be had back.",
                    unless: None,
                }),
                example: "chancery notice-target delete alerts --yes",
                ..DELETE
            },
        ],
    },
    Resource {
        name: "notice",
        about: "What waits, was decided, ends or failed, the newest first",
        one: "a notice",
        list: Some(List {
            path: "/api/v2/notices",
            items: "items",
            search: None,
            filters: &[filter("kind", "kind", "Only these, such as Waiting")],
            limit: 50,
            example: "chancery notice list --kind Waiting",
            ..PLAIN
        }),
        item: None,
        is_endless: true,
        columns: &[
            column("TIME", "/time"),
            column("KIND", "/kind"),
            column("OBJECT", "/objectKind"),
            column("UUID", "/objectUuid"),
            column("STATE", "/state"),
        ],
        verbs: &[],
    },
    Resource {
        name: "undelivered-notice",
        about: "Notices that could not be delivered yet, the newest first",
        one: "a notice that was not delivered",
        list: Some(List {
            path: "/api/v2/notices/undelivered",
            items: "items",
            search: None,
            filters: &[filter_of("target", "targetUuid", "notice-target", "To whom: name or uuid")],
            limit: 50,
            example: "chancery undelivered-notice list",
            ..PLAIN
        }),
        item: None,
        is_endless: true,
        columns: &[
            column("TIME", "/notice/time"),
            column("KIND", "/notice/kind"),
            column("OBJECT", "/notice/objectUuid"),
            column("MAILBOX OF", "/identity/name"),
            column("ATTEMPTS", "/attempts"),
            column("AGAIN AT", "/triedAgainAt"),
            column("ERROR", "/error"),
        ],
        verbs: &[],
    },
];
