//! Roles, identities, and the audit records.

use super::{
    super::{Answered, CHANGE, CREATE, DELETE, Effect, Kind, List, Loss, Member, PLAIN, Resource, SHOW, Verb},
    NAME, column, filter, filter_of, member,
};

const ROLE: &str = "/api/v2/roles/{}";

const ROLE_MEMBERS: &[Member] = &[
    member("name", "/name", Kind::Text, "Its name"),
    member("logins-required", "/loginsRequired", Kind::Number, "How many people have to log in together: 1 or 2"),
    member(
        "perm",
        "/perms",
        Kind::Words,
        "What its holders may do beside Control Rules, such as Signing:Submit; several by commas, or none",
    ),
    member("management", "/management", Kind::Switch, "Whether its holders administer"),
    member(
        "second-factor",
        "/secondFactor",
        Kind::Text,
        "What they log in with besides a password: None, Totp (any second factor) or WebAuthn (a passkey)",
    ),
];

const IDENTITY: &str = "/api/v2/identities/{}";

const ROLES: Member = member("role", "/roleUuids", Kind::SomeOf("role"), "A role that it holds; all of them, repeated");

const NETWORKS: Member =
    member("network", "/networks", Kind::Texts, "From where it may act; several by commas, '' for everywhere");
const HOURS: Member = member(
    "hours",
    "/hours",
    Kind::Texts,
    "When it may act, in UTC, such as 'Mon-Fri 07:00-19:00'; several by commas, '' for always",
);

pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "identity",
        about: "People and applications",
        one: "an identity",
        list: Some(List { path: "/api/v2/identities/stubs", example: "chancery identity list", ..PLAIN }),
        item: Some(IDENTITY),
        is_endless: false,
        columns: &[NAME, column("KIND", "/kind"), column("LOCKED", "/locked")],
        verbs: &[
            Verb { path: IDENTITY, example: "chancery identity show Approver1", ..SHOW },
            Verb {
                about: "Makes one; an application without a password gets an API key, which is shown this once",
                path: "/api/v2/identities",
                members: &[
                    member("name", "/name", Kind::Text, "Its name"),
                    member("kind", "/kind", Kind::Text, "Person or Application"),
                    ROLES,
                    member("password-file", "/password", Kind::Secret, "File with its password; a person needs one"),
                    member(
                        "one-time",
                        "/oneTime",
                        Kind::Switch,
                        "Whether a person's only sets another one, within a day",
                    ),
                    NETWORKS,
                    HOURS,
                    member("key-name", "/apiKey/name", Kind::Text, "What its API key is called; first key"),
                    member("key-expires-in", "/apiKey/expiresAt", Kind::FromNow, "How long the API key lasts; always"),
                    member("key-network", "/apiKey/networks", Kind::Texts, "From where it may be used; everywhere"),
                    member(
                        "key-profile",
                        "/apiKey/scope/tokenProfileUuids",
                        Kind::SomeOf("profile"),
                        "A token profile that it is restricted to; several, repeated",
                    ),
                    member(
                        "key-policy",
                        "/apiKey/scope/policyUuids",
                        Kind::SomeOf("policy"),
                        "A signing policy that it is restricted to; several, repeated",
                    ),
                    member(
                        "key-service",
                        "/apiKey/scope/serviceUuids",
                        Kind::SomeOf("service"),
                        "A signing service that it is restricted to; several, repeated",
                    ),
                ],
                answer: Answered::FirstKey,
                example: "chancery identity create --name ci --kind Application --role Builders \
                          --key-name runner --key-expires-in 90d --key-network 10.0.0.0/8 --out ci.key",
                ..CREATE
            },
            Verb {
                about: "Changes its name or roles, or from where and when it may act, or ends the alarm after it was recovered on the host",
                path: IDENTITY,
                members: &[
                    member("name", "/name", Kind::Text, "Its new name"),
                    ROLES,
                    NETWORKS,
                    HOURS,
                    member(
                        "recovery-acknowledged",
                        "/recoveryAcknowledged",
                        Kind::Switch,
                        "How it was recovered is known, and as it should be",
                    ),
                ],
                effect: Some(Effect { of: "identityUuid", says: "roleUuids", is_whole: false }),
                example: "chancery identity change ci --name 'ci of project 1'",
                ..CHANGE
            },
            Verb {
                name: "lock",
                about: "Locks it, which ends its sessions",
                path: "/api/v2/identities/{}/lock",
                example: "chancery identity lock 'ci of project 1'",
                ..CREATE
            },
            Verb {
                name: "unlock",
                about: "Takes the lock off, and forgives wrong passwords",
                path: "/api/v2/identities/{}/unlock",
                example: "chancery identity unlock 'ci of project 1'",
                ..CREATE
            },
            Verb {
                name: "password",
                about: "Sets its password, which ends its sessions",
                path: "/api/v2/identities/{}/password",
                members: &[
                    member("password-file", "/password", Kind::Secret, "File with the new password"),
                    member("one-time", "/oneTime", Kind::Switch, "Whether it only sets another one, within a day"),
                ],
                example: "chancery identity password carol --password-file new-password",
                ..CREATE
            },
            Verb {
                name: "reset-totp",
                about: "Takes its second factor away, for somebody who has lost it; ends its sessions",
                path: "/api/v2/identities/{}/totp",
                loses: None,
                answer: Answered::Object,
                example: "chancery identity reset-totp carol",
                ..DELETE
            },
            Verb {
                path: IDENTITY,
                loses: Some(Loss {
                    says: "an identity that is deleted cannot be had back; its sessions end, and its API keys.",
                    unless: None,
                }),
                example: "chancery identity delete 'ci of project 1' --yes",
                ..DELETE
            },
        ],
    },
    Resource {
        name: "role",
        about: "Roles: what their holders may do, and how many log in together",
        one: "a role",
        list: Some(List { path: "/api/v2/roles/stubs", example: "chancery role list", ..PLAIN }),
        item: Some(ROLE),
        is_endless: false,
        columns: &[NAME, column("LOGINS", "/loginsRequired"), column("BUILT-IN", "/system")],
        verbs: &[
            Verb { path: ROLE, example: "chancery role show Approver", ..SHOW },
            Verb {
                about: "Makes one",
                path: "/api/v2/roles",
                members: ROLE_MEMBERS,
                needs: &["name", "logins-required"],
                // Programs that only tokenize hold a role that Control Rules name, and nothing else.
                fixed: &[("/perms", "[]")],
                example: "chancery role create --name Builders --logins-required 1 --perm Signing:Submit",
                ..CREATE
            },
            Verb {
                about: "Changes one",
                path: ROLE,
                members: ROLE_MEMBERS,
                effect: Some(Effect { of: "roleUuid", says: "perms", is_whole: false }),
                example: "chancery role change Builders --name 'Release builders'",
                ..CHANGE
            },
            Verb { path: ROLE, example: "chancery role delete 'Release builders' --yes", ..DELETE },
        ],
    },
    Resource {
        name: "audit",
        about: "What was done and what was refused, the newest first",
        one: "an audit record",
        list: Some(List {
            path: "/api/v2/audit",
            items: "items",
            search: None,
            filters: &[
                filter("from", "from", "Since when, such as 2026-01-31T00:00:00Z"),
                filter("to", "to", "Until when"),
                filter("action", "action", "What was done, such as SigningRequestDeny"),
                filter("outcome", "outcome", "How it ended, such as Success or NotAuthorized"),
                filter_of("identity", "identityUuid", "identity", "By whom: name or uuid"),
                filter("object", "objectUuid", "To what: its uuid"),
                filter("node", "nodeUuid", "Written by which node: its uuid"),
                filter("concerns", "concerns", "About what: Access is all that changed who may do what"),
            ],
            limit: 50,
            example: "chancery audit list --action RoleCreate --limit 5",
            ..PLAIN
        }),
        item: None,
        is_endless: true,
        columns: &[
            column("TIME", "/time"),
            column("ACTION", "/action"),
            column("OUTCOME", "/outcome"),
            column("BY", "/identities"),
            column("COUNT", "/count"),
            column("OBJECT", "/objectUuid"),
        ],
        verbs: &[
            Verb {
                name: "export",
                about: "Writes them as lines of JSON, however many there are; the export is recorded itself",
                path: "/api/v2/audit/export",
                members: &[
                    member("from", "from", Kind::Text, "Since when, such as 2026-01-31T00:00:00Z"),
                    member("to", "to", Kind::Text, "Until when"),
                    member("action", "action", Kind::Text, "What was done, such as SigningRequestDeny"),
                    member("outcome", "outcome", Kind::Text, "How it ended, such as Success or NotAuthorized"),
                    member("identity", "identityUuid", Kind::Of("identity"), "By whom: name or uuid"),
                    member("object", "objectUuid", Kind::Text, "To what: its uuid"),
                    member("node", "nodeUuid", Kind::Text, "Written by which node: its uuid"),
                    member(
                        "concerns",
                        "concerns",
                        Kind::Text,
                        "About what: Access is all that changed who may do what",
                    ),
                    member(
                        "ledger",
                        "ledger",
                        Kind::Switch,
                        "All of them, with what `audit verify` needs: true or false",
                    ),
                ],
                answer: Answered::Export,
                example: "chancery audit export --from 2026-01-01T00:00:00Z --out audit.jsonl",
                ..SHOW
            },
            Verb {
                name: "checkpoint",
                about: "Prints the newest checkpoint of the ledger: keep it elsewhere, for `audit verify`",
                path: "/api/v2/audit/checkpoint",
                answer: Answered::Text("checkpoint"),
                example: "chancery audit checkpoint > audit.checkpoint",
                ..SHOW
            },
            Verb {
                name: "key",
                about: "Prints the key that checkpoints of the ledger are verified with",
                path: "/api/v2/audit/checkpoint",
                answer: Answered::Text("key"),
                example: "chancery audit key > audit.key",
                ..SHOW
            },
            Verb {
                name: "access",
                about: "Shows who can do what now, or could at a moment, by which role, and how much of a value they see",
                path: "/api/v2/reports/access",
                members: &[
                    member("right", "right", Kind::Text, "Tokenize, Detokenize, Sign, Approve or Administer"),
                    member("identity", "identityUuid", Kind::Of("identity"), "Whose: name or uuid"),
                    member("profile", "objectUuid", Kind::Of("profile"), "With which token profile: name or uuid"),
                    member("search", "search", Kind::Text, "Only those whose name has this in it"),
                    member("as-of", "asOf", Kind::Text, "As it was at this moment, such as 2026-01-31T00:00:00Z"),
                ],
                answer: Answered::Rights,
                example: "chancery audit access --right Approve",
                ..SHOW
            },
            Verb {
                name: "effect",
                about: "Shows who has gained and who has lost what right by everything that changed since a moment",
                path: "/api/v2/reports/access/effect",
                members: &[member("since", "/since", Kind::Text, "Since when, such as 2026-01-31T00:00:00Z")],
                answer: Answered::Effect,
                example: "chancery audit effect --since 2026-01-31T00:00:00Z",
                ..CREATE
            },
        ],
    },
    Resource {
        name: "audit-archive",
        about: "Audit records that are not at hand any more, in parts of the ledger, the oldest first",
        one: "an archive of audit records",
        list: Some(List {
            path: "/api/v2/audit/archives",
            items: "items",
            search: None,
            example: "chancery audit-archive list",
            ..PLAIN
        }),
        item: None,
        is_endless: true,
        columns: &[
            column("FIRST LEAF", "/firstLeaf"),
            column("LEAVES", "/leaves"),
            column("RECORDS", "/records"),
            column("FROM", "/from"),
            column("TO", "/to"),
            column("BYTES", "/bytes"),
        ],
        verbs: &[Verb {
            name: "download",
            about: "Writes the records of one to a file, for `audit verify --archive`; that is recorded itself",
            path: "/api/v2/audit/archives/download",
            members: &[member(
                "first-leaf",
                "firstLeaf",
                Kind::Number,
                "With which leaf it begins, as the list says [default: the oldest]",
            )],
            answer: Answered::File,
            example: "chancery audit-archive download --out audit-0.jsonl",
            ..SHOW
        }],
    },
];
