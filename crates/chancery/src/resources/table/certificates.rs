//! Certificates, authorities, and certificate profiles.

use super::{
    super::{Answered, CHANGE, CREATE, DELETE, Kind, List, Loss, Member, PLAIN, Resource, SHOW, Verb},
    NAME, column, filter, filter_of, member,
};
use crate::resources::{Column, Filter};

const ITEM: &str = "/api/v2/x509/{}";

const COLUMNS: &[Column] = &[
    NAME,
    column("STATUS", "/status"),
    column("UNTIL", "/notAfter"),
    column("KEY", "/keyAlgorithm"),
    column("ISSUER", "/issuerUuid"),
];

const FILTERS: &[Filter] = &[
    filter("text", "search", "Only those whose subject or serial number has this in it"),
    filter_of("issuer", "issuer", "ca", "Only those of this authority: name or uuid"),
    filter("status", "status", "Only those that are Valid, Held, Revoked, Expired"),
    filter("serial-number", "serialNumber", "Only the one with this serial number"),
    filter("expires-before", "expiresBefore", "Only those that end before, such as 2026-01-31T00:00:00Z"),
];

const ISSUE: &[Member] = &[
    member("profile", "/certProfileUuid", Kind::Of("cert-profile"), "The certificate profile"),
    member("subject", "/subjectOneline", Kind::Text, "Its subject, such as CN=www.example.org,O=Example"),
    member("issuer", "/issuerUuid", Kind::Of("ca"), "The authority that issues it; without one it signs itself"),
    member("key-type", "/newKey/keyTypeUuid", Kind::Of("key-type"), "The type of its new key"),
    member("san", "/certParams/subjectAltNames", Kind::Texts, "Alternative names, such as DNS:www.example.org"),
    member("validity", "/certParams/validityPeriod", Kind::Span, "How long it is valid"),
];

const REKEY: &[Member] = &[
    member(
        "key-type",
        "/newKey/keyTypeUuid",
        Kind::Of("key-type"),
        "The type of its new key [default: that of the old one]",
    ),
    member("csr", "/csr", Kind::FileText, "A request with a new key that is made elsewhere (PKCS#10, PEM)"),
    member(
        "profile",
        "/certProfileUuid",
        Kind::Of("cert-profile"),
        "The certificate profile, where it was made elsewhere",
    ),
    member("issuer", "/issuerUuid", Kind::Of("ca"), "Another authority"),
    member("validity", "/certParams/validityPeriod", Kind::Span, "How long it is valid"),
];

const REASON: &[Member] = &[member(
    "reason",
    "/reason",
    Kind::Text,
    "Why: unspecified, keyCompromise, cACompromise, affiliationChanged, superseded, cessationOfOperation, \
     certificateHold or privilegeWithdrawn",
)];

/// Of certificates of one name, those that can be revoked.
const VALID: Option<(&str, &str)> = Some(("status", "Valid"));

/// Whoever revokes names one certificate: of those that a renewal left, each by its uuid.
pub(super) const REVOKED: Option<Loss> = Some(Loss {
    says: "a certificate that is revoked stays so, and nobody accepts it any more; with --reason certificateHold it can be \
           released.",
    unless: Some(("/reason", "certificateHold")),
});

const DOWNLOAD: &[Member] = &[member("format", "format", Kind::Text, "pem, der, chain or pkcs7 [default: pem]")];

const PROFILE: &str = "/api/v2/x509/cert-profiles/{}";

const PROFILE_MEMBERS: &[Member] = &[
    member("name", "/objInfo/name", Kind::Text, "Its name"),
    member("validity", "/validityPeriod", Kind::Span, "How long certificates are valid"),
    member("max-validity", "/maxValidityPeriod", Kind::Span, "How long they may be at most"),
    member("purpose", "/extendedKeyUsages", Kind::Texts, "What they are for, such as serverAuth; several by commas"),
    member("enabled", "/enabled", Kind::Switch, "Whether anything is issued under it"),
];

const APPROVAL: &[Member] = &[
    member("num-approvals", "/numApprovals", Kind::Number, "How many approvals everything that it issues needs"),
    member("self-approval", "/selfApproval", Kind::Text, "DualControl or Never"),
    member("request-lifetime", "/requestLifetime", Kind::Span, "How long requests wait"),
];

pub(super) const RESOURCES: &[Resource] = &[
    Resource {
        name: "cert",
        about: "Certificates",
        one: "a certificate",
        list: Some(List {
            path: "/api/v2/x509",
            search: Some("name"),
            filters: FILTERS,
            limit: 100,
            example: "chancery cert list --status Valid",
            ..PLAIN
        }),
        item: Some(ITEM),
        is_endless: true,
        columns: COLUMNS,
        verbs: &[
            Verb { path: ITEM, example: "chancery cert show 'Chancery Demo Root'", ..SHOW },
            Verb {
                about: "Makes one, with a key that stays on the server",
                path: "/api/v2/x509/generate",
                members: ISSUE,
                example: "chancery cert create --profile 'TLS Server' --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --subject CN=made.example.org --san DNS:made.example.org",
                ..CREATE
            },
            Verb {
                name: "rekey",
                about: "Issues it again with another key, which stays on the server",
                path: "/api/v2/x509/{}/rekey",
                members: REKEY,
                example: "chancery cert rekey made.example.org --validity 90d",
                ..CREATE
            },
            Verb {
                name: "revoke",
                about: "Revokes it, or puts it on hold",
                path: "/api/v2/x509/{}/revoke",
                among: VALID,
                loses: REVOKED,
                members: REASON,
                example: "chancery cert revoke held.example.org --reason certificateHold",
                ..CREATE
            },
            Verb {
                name: "release",
                about: "Takes it off hold, which takes two persons",
                path: "/api/v2/x509/{}/release",
                among: Some(("status", "Held")),
                example: "chancery cert release held.example.org",
                ..CREATE
            },
            Verb {
                name: "download",
                about: "Writes it to a file, alone or with its issuers",
                path: "/api/v2/x509/{}/download",
                members: DOWNLOAD,
                answer: Answered::File,
                example: "chancery cert download 'Chancery Demo Root' --out root.pem",
                ..SHOW
            },
        ],
    },
    Resource {
        name: "ca",
        about: "Authorities: certificates that issue others",
        one: "an authority",
        list: Some(List {
            path: "/api/v2/x509",
            only: Some("trusted"),
            search: Some("name"),
            example: "chancery ca list",
            ..PLAIN
        }),
        item: Some(ITEM),
        is_endless: false,
        columns: COLUMNS,
        verbs: &[
            Verb { path: ITEM, example: "chancery ca show 'Chancery Demo Root'", ..SHOW },
            Verb {
                about: "Makes one, with a key that stays on the server; it takes two persons",
                path: "/api/v2/x509/generate",
                members: ISSUE,
                fixed: &[("/trustCert", "true"), ("/saveCert", "true")],
                example: "chancery ca create --profile 'Issuing Certificate Authority' --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --subject 'CN=Issuing 1,O=Demonstration'",
                ..CREATE
            },
            Verb {
                name: "import",
                about: "Takes authorities of others in, without their keys",
                path: "/api/v2/x509/import",
                members: &[
                    member("certificates", "/certificates", Kind::FileText, "File with them, PEM"),
                    member("trust", "/trustCert", Kind::Switch, "Whether they count as issuers"),
                ],
                example: "chancery ca import --certificates other.pem",
                ..CREATE
            },
            Verb {
                name: "import-key",
                about: "Takes an authority in with its private key, to issue here; it takes two persons",
                path: "/api/v2/x509/import-key",
                members: &[
                    member("p12", "/pkcs12", Kind::FileBytes, "File with key and certificates, PKCS#12"),
                    member("private-key", "/privateKey", Kind::FileText, "File with the key, PKCS#8 in PEM"),
                    member("certificates", "/certificates", Kind::FileText, "File with the certificates, PEM"),
                    member(
                        "password-file",
                        "/password",
                        Kind::Secret,
                        "File with the password of the key or of the PKCS#12 file",
                    ),
                ],
                example: "chancery ca import-key --p12 acquired.p12 --password-file new-password",
                ..CREATE
            },
            Verb {
                name: "rekey",
                about: "Issues it again with another key; the old one stays with what it issued. It takes two persons",
                path: "/api/v2/x509/{}/rekey",
                members: REKEY,
                example: "chancery ca rekey 'Issuing 1' --validity 5y",
                ..CREATE
            },
            Verb {
                name: "approval",
                about: "Says how many approvals everything needs that it issues",
                method: "PUT",
                path: "/api/v2/x509/{}/approval",
                members: APPROVAL,
                example: "chancery ca approval 'Issuing 1' --num-approvals 1",
                ..CREATE
            },
            Verb {
                name: "revoke",
                about: "Revokes it, which takes two persons",
                path: "/api/v2/x509/{}/revoke",
                among: VALID,
                loses: REVOKED,
                members: REASON,
                example: "chancery ca revoke 'Issuing 1' --reason superseded --yes",
                ..CREATE
            },
            Verb {
                name: "crl",
                about: "Writes its revocation list to a file",
                path: "/api/v2/x509/crls/export",
                members: &[
                    member(
                        "issuer",
                        "issuer",
                        Kind::Issuer,
                        "The authority: name or uuid [default: the only one whose key is kept here]",
                    ),
                    member("format", "format", Kind::Text, "pem or der [default: pem]"),
                ],
                answer: Answered::File,
                example: "chancery ca crl --issuer 'Chancery Demo Root' --out root.crl",
                ..SHOW
            },
        ],
    },
    Resource {
        name: "cert-profile",
        about: "Certificate profiles: what certificates may say",
        one: "a certificate profile",
        list: Some(List { path: "/api/v2/x509/cert-profiles/stubs", example: "chancery cert-profile list", ..PLAIN }),
        item: Some(PROFILE),
        is_endless: false,
        columns: &[
            NAME,
            column("VALID FOR", "/validityPeriod/amount"),
            column("UNIT", "/validityPeriod/unit"),
            column("BUILT-IN", "/system"),
        ],
        verbs: &[
            Verb { path: PROFILE, example: "chancery cert-profile show 'Code Signing Certificate'", ..SHOW },
            Verb {
                about: "Makes one",
                path: "/api/v2/x509/cert-profiles",
                members: PROFILE_MEMBERS,
                example: "chancery cert-profile create --name Workload --validity 30d --purpose clientAuth,serverAuth",
                ..CREATE
            },
            Verb {
                about: "Changes one, or proposes it",
                path: PROFILE,
                members: PROFILE_MEMBERS,
                example: "chancery cert-profile change Workload --max-validity 90d",
                ..CHANGE
            },
            Verb { path: PROFILE, example: "chancery cert-profile delete Workload --yes", ..DELETE },
        ],
    },
];
