//! Who gets the audit records.

use super::{
    super::{Answered, CHANGE, CREATE, DELETE, Kind, List, Loss, Member, PLAIN, Resource, SHOW, Verb},
    NAME, column, column_while, member,
};

const TARGET: &str = "/api/v2/audit/targets/{}";

const SYSLOG: Member = member("syslog-host", "/syslog/host", Kind::Text, "A receiver of syslog over TLS: its name");
const PORT: Member = member("syslog-port", "/syslog/port", Kind::Number, "Its port [default: 6514]");
const BODY: Member = member("syslog-body", "/syslog/body", Kind::Text, "Json or Cef [default: Json]");
const TRANSPORT: Member =
    member("syslog-transport", "/syslog/transport", Kind::Text, "Tls, or Relp where it has that [default: Tls]");
const FILE: Member = member(
    "file-name",
    "/file/name",
    Kind::Text,
    "A file in the folder that the server's --audit-files names, without .jsonl",
);
const WEBHOOK: Member = member("webhook-url", "/webhook/url", Kind::Text, "A webhook: an https address");
const OTLP: Member =
    member("otlp-url", "/otlp/url", Kind::Text, "A collector of OpenTelemetry, such as https://collector:4318/v1/logs");
const SECRET: Member = member(
    "secret-file",
    "/secret",
    Kind::Key,
    "File with the key of a webhook, 24 to 64 bytes, or the token of a collector",
);

pub(super) const RESOURCES: &[Resource] = &[Resource {
    name: "audit-target",
    about: "To whom the audit records are shipped",
    one: "a target of the audit records",
    list: Some(List { path: "/api/v2/audit/targets", example: "chancery audit-target list", ..PLAIN }),
    item: Some(TARGET),
    is_endless: false,
    columns: &[
        NAME,
        column("ENABLED", "/enabled"),
        column("NEXT", "/shipping/nextSequence"),
        column("BEHIND", "/shipping/behind"),
        column("FAILING", "/shipping/failing"),
        column_while("ERROR", "/shipping/error", "/shipping/failing"),
    ],
    verbs: &[
        Verb { path: TARGET, example: "chancery audit-target show siem", ..SHOW },
        Verb {
            about: "Makes one, which takes two persons",
            path: "/api/v2/audit/targets",
            members: &[
                member("name", "/name", Kind::Text, "Its name"),
                SYSLOG,
                PORT,
                BODY,
                TRANSPORT,
                WEBHOOK,
                OTLP,
                FILE,
                SECRET,
                member(
                    "first-sequence",
                    "/firstSequence",
                    Kind::Number,
                    "The first record that it gets [default: the next]",
                ),
                member("enabled", "/enabled", Kind::Switch, "Whether it gets records [default: true]"),
            ],
            example: "chancery audit-target create --name siem --syslog-host logs.example.org --first-sequence 0",
            ..CREATE
        },
        Verb {
            about: "Changes one, which takes two persons",
            path: TARGET,
            members: &[
                member("name", "/name", Kind::Text, "Its new name"),
                SYSLOG,
                PORT,
                BODY,
                TRANSPORT,
                WEBHOOK,
                OTLP,
                FILE,
                SECRET,
                member(
                    "enabled",
                    "/enabled",
                    Kind::Switch,
                    "Whether it gets records; later it gets those of meanwhile",
                ),
            ],
            example: "chancery audit-target change siem --enabled false",
            ..CHANGE
        },
        Verb {
            name: "test",
            about: "Sends it something that is no record, and shows what came back",
            path: "/api/v2/audit/targets/{}/test",
            example: "chancery audit-target test siem",
            answer: Answered::Tried,
            ..CREATE
        },
        Verb {
            path: TARGET,
            loses: Some(Loss {
                says: "a target that is deleted, and how far it had the records, cannot be had back.",
                unless: None,
            }),
            example: "chancery audit-target delete siem --yes",
            ..DELETE
        },
    ],
}];
