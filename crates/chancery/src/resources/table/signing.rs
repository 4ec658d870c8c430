//! Services, their policies, what is asked of them, and proposals. `sign`, `approve` and `deny` are commands of their own.

use super::{
    super::{Answered, CHANGE, CREATE, Column, Effect, Kind, List, Member, Named, PLAIN, Resource, SHOW, Verb},
    NAME,
    certificates::REVOKED,
    column, filter, filter_of, member,
};

const SERVICE: &str = "/api/v2/x509/services/{}";

const POLICY: &str = "/api/v2/x509/signing-policies/{}";

const REQUEST: &str = "/api/v2/x509/signing-requests/{}";

const PROPOSAL: &str = "/api/v2/x509/proposals/{}";

const STATE: Column = column("STATE", "/state");

const NOTE: &[Member] = &[member("note", "/note", Kind::Text, "What to record with it")];

/// Of proposals of one name, people decide on the one that waits.
const WAITING: Option<(&str, &str)> = Some(("waiting", "true"));

const SUBMITTERS: &str = "A role that may submit to it, and nobody else may; repeated for several";

const BUDGET: &str =
    "How many signatures it makes, such as 100/Hour, or 20/Day/each for each submitter; repeated for several";

const DEPLOY: &[Member] = &[
    member("name", "/name", Kind::Text, "Its name"),
    member("issuer", "/pkisigning/newCert/issuerUuid", Kind::Of("ca"), "The authority that issues its certificate"),
    member("subject", "/pkisigning/newCert/subjectOneline", Kind::Text, "Its certificate's subject"),
    member("key-type", "/pkisigning/newCert/newKey/keyTypeUuid", Kind::Of("key-type"), "The type of its key"),
    member(
        "validity",
        "/pkisigning/newCert/certParams/validityPeriod",
        Kind::Span,
        "How long its certificate is valid",
    ),
    member("format", "/pkisigning/signingFormat", Kind::Text, "CMS, Raw, Authenticode, Msi, Powershell or JavaJar"),
    member("hash", "/pkisigning/hashAlgorithm", Kind::Text, "The hash of its signatures, such as Sha2_256"),
    member("num-approvals", "/pkisigning/numApprovals", Kind::Number, "How many approvals a signature needs"),
    member("time-stamp", "/pkisigning/timeStamp", Kind::Switch, "Whether signatures carry a time stamp"),
    member("self-approval", "/pkisigning/selfApproval", Kind::Text, "DualControl or Never"),
    member("submitter-role", "/pkisigning/rules/submitterRoleUuids", Kind::SomeOf("role"), SUBMITTERS),
    member("budget", "/pkisigning/rules/budgets", Kind::Budgets, BUDGET),
];

const BUDGETS: &str = "All budgets that it is to have, such as 100/Hour, or 20/Day/each for each submitter, or none; its other rules stay";

const CHANGED: &[Member] = &[
    member("name", "/objInfo/name", Kind::Text, "Its new name"),
    member("num-approvals", "/numApprovals", Kind::Number, "How many approvals a signature needs"),
    member("time-stamp", "/timeStamp", Kind::Switch, "Whether signatures carry a time stamp"),
    member("self-approval", "/selfApproval", Kind::Text, "DualControl or Never"),
    member("rules", "/rules", Kind::Json, "All of its rules"),
    member("budget", "/rules/budgets", Kind::Budgets, BUDGETS),
];

const SERVICES: Resource = Resource {
    name: "service",
    about: "Signing services and time-stamping authorities",
    one: "a service",
    list: Some(List { path: "/api/v2/x509/services/stubs", example: "chancery service list", ..PLAIN }),
    item: Some(SERVICE),
    is_endless: false,
    columns: &[NAME, column("FORMAT", "/signingFormat"), column("CERTIFICATE", "/certificateUuid")],
    verbs: &[
        Verb { path: SERVICE, example: "chancery service show 'demo releases'", ..SHOW },
        Verb {
            about: "Deploys a signing service, with its key, certificate and first policy",
            path: "/cuserv/v1/services/deploy",
            members: DEPLOY,
            needs: &["name", "issuer", "subject", "key-type", "validity", "format", "hash", "num-approvals"],
            fixed: &[("/template", "\"PKI Signing\"")],
            example: "chancery service create --name scripts --issuer 'Chancery Demo Root' --subject 'CN=Scripts,O=Demonstration' --key-type 'EC P-256 Signing' --validity 1y --format Powershell --hash Sha2_256 --num-approvals 0",
            ..CREATE
        },
        Verb {
            about: "Changes a time-stamping authority",
            path: SERVICE,
            members: &[
                member("policy-oid", "/timestamping/policyOid", Kind::Text, "The policy that its stamps name"),
                member("default", "/timestamping/default", Kind::Switch, "Whether /tsa stands for it"),
            ],
            example: "chancery service change stamps --policy-oid 1.3.6.1.4.1.99999.1",
            ..CHANGE
        },
        Verb {
            name: "renew",
            about: "Gives it a new certificate and key",
            path: "/api/v2/x509/services/{}/renew",
            members: &[
                member("issuer", "/issuerUuid", Kind::Of("ca"), "Another authority"),
                member("subject", "/subjectOneline", Kind::Text, "Another subject"),
                member("validity", "/validityPeriod", Kind::Span, "How long it is valid"),
            ],
            example: "chancery service renew scripts --validity 1y",
            ..CREATE
        },
        Verb {
            name: "issuance",
            about: "Shows what the authority demands that issued its certificate",
            path: "/api/v2/x509/services/{}/issuance-policy",
            example: "chancery service issuance scripts",
            ..SHOW
        },
        Verb {
            name: "change-issuance",
            about: "Changes that, for all that this authority issues",
            path: "/api/v2/x509/services/{}/issuance-policy",
            members: &[
                member(
                    "num-approvals",
                    "/numApprovals",
                    Kind::Number,
                    "How many approvals everything that it issues needs",
                ),
                member("self-approval", "/selfApproval", Kind::Text, "DualControl or Never"),
                member("request-lifetime", "/requestLifetime", Kind::Span, "How long requests wait"),
            ],
            example: "chancery service change-issuance scripts --num-approvals 0",
            ..CHANGE
        },
        Verb {
            name: "requests",
            about: "Shows the signing requests of one service, the newest first",
            path: "/api/v2/x509/services/{}/signing-requests",
            members: &[
                member("state", "state", Kind::Text, "Only those in this state: Approval, Signed, Denied, Failed"),
                member("page-size", "pageSize", Kind::Number, "How many"),
            ],
            example: "chancery service requests 'demo releases' --state Approval --page-size 10",
            ..SHOW
        },
        Verb {
            name: "revoke",
            about: "Revokes its certificate, which takes two persons",
            path: "/api/v2/x509/services/{}/revoke",
            loses: REVOKED,
            members: &[member("reason", "/reason", Kind::Text, "Why, as for chancery cert revoke")],
            example: "chancery service revoke scripts --reason superseded --yes",
            ..CREATE
        },
    ],
};

const POLICIES: Resource = Resource {
    name: "policy",
    about: "Signing policies: how services sign, and who approves",
    one: "a policy",
    list: Some(List {
        path: "/api/v2/x509/services",
        inside: Some("signingPolicies"),
        search: None,
        example: "chancery policy list",
        ..PLAIN
    }),
    item: Some(POLICY),
    is_endless: false,
    columns: &[
        NAME,
        column("SERVICE", "/serviceName"),
        column("FORMAT", "/signingFormat"),
        column("HASH", "/hashAlgorithm"),
        column("APPROVALS", "/numApprovals"),
    ],
    verbs: &[
        Verb { path: POLICY, example: "chancery policy show 'demo releases/demo releases'", ..SHOW },
        Verb {
            name: "create",
            about: "Gives a service another policy, or proposes it",
            path: "/api/v2/x509/services/{}/signing-policies",
            named: Named::Of("service"),
            members: &[
                member("policy-name", "/name", Kind::Text, "The policy's name"),
                member("num-approvals", "/numApprovals", Kind::Number, "How many approvals a signature needs"),
                member("hash", "/hashAlgorithm", Kind::Text, "The hash of its signatures, such as Sha2_512"),
                member("time-stamp", "/timeStamp", Kind::Switch, "Whether signatures carry a time stamp"),
                member("self-approval", "/selfApproval", Kind::Text, "DualControl or Never"),
                member("rules", "/rules", Kind::Json, "What it demands besides"),
                member("submitter-role", "/rules/submitterRoleUuids", Kind::SomeOf("role"), SUBMITTERS),
                member("budget", "/rules/budgets", Kind::Budgets, BUDGET),
            ],
            example: "chancery policy create 'demo signing' --policy-name long --num-approvals 0 --hash Sha2_512 --budget 1000/Day --budget 100/Day/each",
            ..CREATE
        },
        Verb {
            name: "budgets",
            about: "Shows how much of its budgets is used",
            path: "/api/v2/x509/signing-policies/{}/budgets",
            answer: Answered::Budgets,
            example: "chancery policy budgets 'demo signing/long'",
            ..SHOW
        },
        Verb {
            about: "Changes one, or proposes it",
            path: POLICY,
            members: CHANGED,
            keeps: Some("/rules"),
            effect: Some(Effect { of: "policyUuid", says: "policy", is_whole: true }),
            example: "chancery policy change 'demo signing/long' --name 'long-lived'",
            ..CHANGE
        },
    ],
};

const REQUESTS: Resource = Resource {
    name: "request",
    about: "Signing requests",
    one: "a signing request",
    list: Some(List {
        path: "/api/v2/x509/signing-requests",
        items: "items",
        filters: &[
            filter("state", "state", "Only those in this state: Approval, Signed, Denied, Failed"),
            filter("metadata", "metadata", "Only those whose metadata has this NAME=VALUE"),
            filter_of("pre-approval", "preApprovalUuid", "proposal", "Only those under this pre-approval"),
        ],
        limit: 100,
        example: "chancery request list --state Approval",
        ..PLAIN
    }),
    item: Some(REQUEST),
    is_endless: true,
    columns: &[
        NAME,
        STATE,
        column("SUBMITTED", "/submittedAt"),
        column("SERVICE", "/serviceUuid"),
        column("NOTE", "/note"),
    ],
    verbs: &[
        Verb { path: REQUEST, example: "chancery request show app.tar", ..SHOW },
        Verb {
            name: "items",
            about: "Shows the items of a manifest, a page of them",
            path: "/api/v2/x509/signing-requests/{}/items",
            members: &[
                member("page", "page", Kind::Number, "Which page, from 1"),
                member("page-size", "pageSize", Kind::Number, "Items a page, 1 to 1,000"),
                member("include", "include", Kind::Text, "inclusionProof: with the proofs that they are in the log"),
            ],
            example: "chancery request items 'release 2.0' --page-size 100",
            ..SHOW
        },
        Verb {
            name: "cancel",
            about: "Takes your own request back",
            path: "/api/v2/x509/signing-requests/{}/withdraw",
            among: Some(("state", "Approval")),
            members: NOTE,
            example: "chancery request cancel mistake.tar --note 'the wrong branch'",
            ..CREATE
        },
        Verb {
            name: "repeat",
            about: "Submits a failed request again",
            path: "/api/v2/x509/signing-requests/{}/repeat",
            among: Some(("state", "Failed")),
            example: "chancery request repeat failed.tar",
            ..CREATE
        },
        Verb {
            name: "download",
            about: "Writes the signed file, where the file was uploaded",
            path: "/api/v2/x509/signing-requests/{}/signed/download",
            among: Some(("state", "Signed")),
            answer: Answered::File,
            example: "chancery request download uploaded.ps1 --out signed.ps1",
            ..SHOW
        },
    ],
};

const PROPOSALS: Resource = Resource {
    name: "proposal",
    about: "Changes and certificates that take effect once people have approved them",
    one: "a proposal",
    list: Some(List {
        path: "/api/v2/x509/proposals",
        items: "items",
        filters: &[
            filter("waiting", "waiting", "true: only those that wait for approvals"),
            filter(
                "kind",
                "kind",
                "Only those of this kind: PreApproval, Policy, Certificate, CertProfile, Issuer, DetokenizeGrant",
            ),
            filter_of("token-profile", "tokenProfileUuid", "profile", "Only those about this token profile"),
            filter_of("policy", "policyUuid", "policy", "Only those about this policy"),
        ],
        limit: 100,
        example: "chancery proposal list --waiting true",
        ..PLAIN
    }),
    item: Some(PROPOSAL),
    is_endless: true,
    columns: &[NAME, column("KIND", "/kind"), STATE, column("SUBMITTED", "/submittedAt")],
    verbs: &[
        Verb { path: PROPOSAL, example: "chancery proposal show nightly", ..SHOW },
        Verb {
            name: "pre-approve",
            about: "Proposes that an identity's next requests, or certain digests, need no further approval",
            path: "/api/v2/x509/pre-approvals",
            members: &[
                member("name", "/name", Kind::Text, "Its name"),
                member("policy", "/policyUuid", Kind::Of("policy"), "The policy"),
                member("submitter", "/submitterUuid", Kind::Of("identity"), "Whose requests"),
                member("max-requests", "/maxRequests", Kind::Number, "How many requests, at most 100"),
                member("digest", "/digests", Kind::Texts, "The digests, base64; several by commas"),
                member("lifetime", "/lifetime", Kind::Span, "How long"),
                member("note", "/note", Kind::Text, "Why"),
            ],
            example: "chancery proposal pre-approve --name nightly --policy 'demo releases/demo releases' --digest ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs= --lifetime 7d",
            ..CREATE
        },
        Verb {
            name: "approve",
            about: "Shows one and approves it, as it was shown",
            path: "/api/v2/x509/proposals/{}/approve",
            among: WAITING,
            decides: true,
            members: &[
                member(
                    "digest",
                    "/digest",
                    Kind::Text,
                    "What is approved, base64: with another one nothing is [default: that of what is shown]",
                ),
                member("note", "/note", Kind::Text, "What to record with it"),
            ],
            example: "chancery proposal approve nightly --note 'as agreed'",
            ..CREATE
        },
        Verb {
            name: "deny",
            about: "Shows one and denies it",
            path: "/api/v2/x509/proposals/{}/deny",
            among: WAITING,
            decides: true,
            members: NOTE,
            example: "chancery proposal deny weekly --note 'not needed'",
            ..CREATE
        },
        Verb {
            name: "withdraw",
            about: "Takes your own back",
            path: "/api/v2/x509/proposals/{}/withdraw",
            among: WAITING,
            members: NOTE,
            example: "chancery proposal withdraw monthly",
            ..CREATE
        },
        Verb {
            name: "revoke",
            about: "Ends a pre-approval or a grant to detokenize",
            path: "/api/v2/x509/proposals/{}/revoke",
            members: NOTE,
            example: "chancery proposal revoke nightly",
            ..CREATE
        },
    ],
};

pub(super) const RESOURCES: &[Resource] = &[SERVICES, POLICIES, REQUESTS, PROPOSALS];
