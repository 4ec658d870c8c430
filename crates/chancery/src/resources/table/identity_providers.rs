//! Identity providers, and whose tokens of theirs stand for which identities.

use super::{
    super::{CHANGE, CREATE, DELETE, Kind, List, Loss, Member, PLAIN, Resource, SHOW, Verb},
    NAME, column, filter_of, member,
};

const PROVIDER: &str = "/api/v2/identity-providers/{}";
const BINDING: &str = "/api/v2/identity-bindings/{}";

const AUDIENCES: Member = member("audience", "/audiences", Kind::Texts, "Whom its tokens are for; several by commas");
const ALGORITHMS: Member =
    member("algorithm", "/algorithms", Kind::Texts, "How they are signed, such as RS256; several by commas");
const KEYS: Member =
    member("jwks-file", "/jwks", Kind::FileText, "File with its public keys (a JWK set), where they cannot be fetched");
const SINGLE_USE: Member =
    member("single-use", "/singleUse", Kind::Switch, "Whether each token is taken once; false for tokens in files");

const CLIENT_ID: Member = member(
    "client-id",
    "/clientId",
    Kind::Text,
    "As which client this server is registered there: people log in by it",
);
const CLIENT_SECRET: Member =
    member("client-secret-file", "/clientSecret", Kind::SecretText, "File with the client's secret, where it has one");
const SECOND_FACTOR_ACR: Member = member(
    "second-factor-acr",
    "/secondFactorAcr",
    Kind::Texts,
    "Values of `acr` that tell of a second factor; several by commas",
);

const AUTHORITY_CERTIFICATES: Member = member(
    "authority-file",
    "/authorityCertificates",
    Kind::FileText,
    "File with its certificates, PEM, where it is an authority of client certificates elsewhere",
);
const CRLS: Member = member(
    "crl-file",
    "/crls",
    Kind::FileText,
    "File with the revocation lists of that authority and of those below it, PEM",
);

const LDAP_URL: Member = member(
    "ldap-url",
    "/ldap/url",
    Kind::Text,
    "Where it is, if it is a directory: ldaps://HOST, or ldap://HOST with StartTLS",
);
const LDAP_AUTHORITIES: Member = member(
    "ldap-ca-file",
    "/ldap/authorities",
    Kind::FileText,
    "File with the authorities of the directory's TLS certificate, PEM, where the server does not trust them",
);
const LDAP_USER_DN: Member = member(
    "ldap-user-dn",
    "/ldap/userDn",
    Kind::Text,
    "The name of an entry, with {username} in it, where none has to be searched for",
);
const LDAP_BIND_DN: Member = member(
    "ldap-bind-dn",
    "/ldap/bindDn",
    Kind::Text,
    "The service account of the directory that searches for entries",
);
const LDAP_BIND_PASSWORD: Member =
    member("ldap-bind-password-file", "/ldap/bindPassword", Kind::SecretText, "File with the password of that account");
const LDAP_BASE_DN: Member = member("ldap-base-dn", "/ldap/baseDn", Kind::Text, "Below what it searches");
const LDAP_FILTER: Member = member(
    "ldap-filter",
    "/ldap/filter",
    Kind::Text,
    "By what it searches, with {username} in it, such as (uid={username})",
);
const LDAP_ID_ATTRIBUTE: Member = member(
    "ldap-id-attribute",
    "/ldap/idAttribute",
    Kind::Text,
    "What accounts are bound by: entryUUID (if absent), objectGUID, nsUniqueId or ipaUniqueID",
);

pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "identity-provider",
        about: "OpenID Connect providers, authorities of client certificates, and directories (LDAP), by which workloads and people log in",
        one: "an identity provider",
        list: Some(List { path: "/api/v2/identity-providers", example: "chancery identity-provider list", ..PLAIN }),
        item: Some(PROVIDER),
        is_endless: false,
        columns: &[NAME, column("ISSUER", "/issuer"), column("ENABLED", "/enabled")],
        verbs: &[
            Verb { path: PROVIDER, example: "chancery identity-provider show github", ..SHOW },
            Verb {
                about: "Has the tokens, certificates or passwords of one taken, once identities are bound to them; takes two persons",
                path: "/api/v2/identity-providers",
                members: &[
                    member("name", "/name", Kind::Text, "Its name"),
                    member(
                        "issuer",
                        "/issuer",
                        Kind::Text,
                        "The `iss` of its tokens: an https address; not said of an authority, and seldom of a directory",
                    ),
                    AUDIENCES,
                    ALGORITHMS,
                    KEYS,
                    SINGLE_USE,
                    CLIENT_ID,
                    CLIENT_SECRET,
                    SECOND_FACTOR_ACR,
                    member(
                        "authority",
                        "/authorityUuid",
                        Kind::Of("ca"),
                        "The authority of this installation whose client certificates are taken",
                    ),
                    AUTHORITY_CERTIFICATES,
                    CRLS,
                    LDAP_URL,
                    LDAP_AUTHORITIES,
                    LDAP_USER_DN,
                    LDAP_BIND_DN,
                    LDAP_BIND_PASSWORD,
                    LDAP_BASE_DN,
                    LDAP_FILTER,
                    LDAP_ID_ATTRIBUTE,
                ],
                example: "chancery identity-provider create --name github \
                    --issuer https://token.actions.githubusercontent.com --audience https://kms.example.org",
                ..CREATE
            },
            Verb {
                about: "Changes one, which ends the sessions of those bound to it",
                path: PROVIDER,
                members: &[
                    member("name", "/name", Kind::Text, "Its new name"),
                    AUDIENCES,
                    ALGORITHMS,
                    KEYS,
                    SINGLE_USE,
                    member(
                        "enabled",
                        "/enabled",
                        Kind::Switch,
                        "Whether its tokens, certificates or passwords are taken at all",
                    ),
                    CLIENT_ID,
                    CLIENT_SECRET,
                    SECOND_FACTOR_ACR,
                    AUTHORITY_CERTIFICATES,
                    CRLS,
                    LDAP_URL,
                    LDAP_AUTHORITIES,
                    LDAP_USER_DN,
                    LDAP_BIND_DN,
                    LDAP_BIND_PASSWORD,
                    LDAP_BASE_DN,
                    LDAP_FILTER,
                    LDAP_ID_ATTRIBUTE,
                ],
                example: "chancery identity-provider change github --enabled false",
                ..CHANGE
            },
            Verb {
                path: PROVIDER,
                loses: Some(Loss { says: "a provider that is deleted cannot be had back.", unless: None }),
                example: "chancery identity-provider delete github --yes",
                ..DELETE
            },
        ],
    },
    Resource {
        name: "identity-binding",
        about: "Whose tokens, client certificates or accounts stand for which identities",
        one: "a binding",
        list: Some(List {
            path: "/api/v2/identity-bindings",
            filters: &[filter_of("identity", "identityUuid", "identity", "Of which identity: name or uuid")],
            example: "chancery identity-binding list --identity ci",
            ..PLAIN
        }),
        item: Some(BINDING),
        is_endless: false,
        columns: &[
            NAME,
            column("IDENTITY", "/identityUuid"),
            column("PROVIDER", "/providerUuid"),
            column("SUBJECT", "/subject"),
            column("CLAIMS", "/claims"),
        ],
        verbs: &[
            Verb { path: BINDING, example: "chancery identity-binding show app-main", ..SHOW },
            Verb {
                about: "Has tokens, certificates or an account stand for an identity, by their subject or by claims with an id, all of them exact",
                path: "/api/v2/identity-bindings",
                members: &[
                    member("name", "/name", Kind::Text, "Its name"),
                    member("identity", "/identityUuid", Kind::Of("identity"), "The identity: name or uuid"),
                    member("provider", "/providerUuid", Kind::Of("identity-provider"), "The provider: name or uuid"),
                    member(
                        "subject",
                        "/subject",
                        Kind::Text,
                        "The `sub` of the tokens, the subject of the certificate, or the id of the account",
                    ),
                    member(
                        "claims",
                        "/claims",
                        Kind::Json,
                        "Further claims with their values, as JSON; of certificates dns, uri, email, upn",
                    ),
                ],
                example: "chancery identity-binding create --name app-main --identity ci --provider github \
                    --claims '{\"repository_id\": \"74\", \"ref\": \"refs/heads/main\"}'",
                ..CREATE
            },
            Verb {
                path: BINDING,
                loses: Some(Loss {
                    says: "a binding that is deleted cannot be had back; the sessions of its identity end.",
                    unless: None,
                }),
                example: "chancery identity-binding delete app-main --yes",
                ..DELETE
            },
        ],
    },
];
