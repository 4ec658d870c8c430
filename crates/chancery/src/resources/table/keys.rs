//! Data keys and their types.

use super::{
    super::{CHANGE, CREATE, Kind, List, Member, PLAIN, Resource, SHOW, Verb},
    NAME, column, member,
};

const ITEM: &str = "/api/v2/keys/{}";

const USAGES: Member = member("usage", "/usages", Kind::Texts, "What it may be used for; several by commas");

pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "key",
        about: "Data keys",
        one: "a key",
        list: Some(List { path: "/api/v2/keys/stubs", example: "chancery key list", ..PLAIN }),
        item: Some(ITEM),
        is_endless: false,
        columns: &[NAME, column("STATE", "/state"), column("TYPE", "/keyTypeUuid"), column("USAGES", "/usages")],
        verbs: &[
            Verb { path: ITEM, example: "chancery key show 'demo cards'", ..SHOW },
            Verb {
                about: "Makes one",
                path: "/api/v2/keys",
                members: &[
                    member("name", "/name", Kind::Text, "Its name"),
                    member("type", "/keyTypeUuid", Kind::Of("key-type"), "Its type: chancery key-type list"),
                    USAGES,
                ],
                example: "chancery key create --name mail --type 'AES-256 Tokenization'",
                ..CREATE
            },
            Verb {
                about: "Changes its name or usages",
                path: ITEM,
                members: &[member("name", "/name", Kind::Text, "Its new name"), USAGES],
                example: "chancery key change mail --name 'mail addresses'",
                ..CHANGE
            },
            Verb {
                name: "rotate",
                about: "Gives it a new version; profiles go on with theirs until they are changed",
                path: "/api/v2/keys/{}/rotate",
                example: "chancery key rotate 'demo cards'",
                ..CREATE
            },
            Verb {
                name: "disable",
                about: "Lets nobody use it",
                path: "/api/v2/keys/{}/disable",
                example: "chancery key disable 'mail addresses'",
                ..CREATE
            },
            Verb {
                name: "enable",
                about: "Lets it be used again, which takes two persons",
                path: "/api/v2/keys/{}/enable",
                example: "chancery key enable 'mail addresses'",
                ..CREATE
            },
        ],
    },
    Resource {
        name: "key-type",
        about: "Types of keys",
        one: "a key type",
        list: Some(List {
            method: "POST",
            path: "/api/v2/key-types/stubs",
            example: "chancery key-type list --search P-256",
            ..PLAIN
        }),
        item: None,
        is_endless: false,
        columns: &[NAME, column("ALGORITHM", "/parameters/keyAlgorithm"), column("USAGES", "/usages")],
        verbs: &[],
    },
];
