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

pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "identity-provider",
        about: "OpenID Connect providers, and authorities of client certificates, by which workloads and people log in",
        one: "an identity provider",
        list: Some(List { path: "/api/v2/identity-providers", example: "chancery identity-provider list", ..PLAIN }),
        item: Some(PROVIDER),
        is_endless: false,
        columns: &[NAME, column("ISSUER", "/issuer"), column("ENABLED", "/enabled")],
        verbs: &[
            Verb { path: PROVIDER, example: "chancery identity-provider show github", ..SHOW },
            Verb {
                about: "Has the tokens or certificates of one taken, once identities are bound to them; takes two persons",
                path: "/api/v2/identity-providers",
                members: &[
                    member("name", "/name", Kind::Text, "Its name"),
                    member(
                        "issuer",
                        "/issuer",
                        Kind::Text,
                        "The `iss` of its tokens: an https address; not said of an authority",
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
                    member("enabled", "/enabled", Kind::Switch, "Whether its tokens or certificates are taken at all"),
                    CLIENT_ID,
                    CLIENT_SECRET,
                    SECOND_FACTOR_ACR,
                    AUTHORITY_CERTIFICATES,
                    CRLS,
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
        about: "Whose tokens or client certificates stand for which identities",
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
                about: "Has tokens or certificates stand for an identity, by their subject or by claims with an id, all of them exact",
                path: "/api/v2/identity-bindings",
                members: &[
                    member("name", "/name", Kind::Text, "Its name"),
                    member("identity", "/identityUuid", Kind::Of("identity"), "The identity: name or uuid"),
                    member("provider", "/providerUuid", Kind::Of("identity-provider"), "The provider: name or uuid"),
                    member(
                        "subject",
                        "/subject",
                        Kind::Text,
                        "The `sub` of the tokens, or the subject of the certificate",
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
