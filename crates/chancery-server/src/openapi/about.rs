//! What the document says of the whole: where servers are, and what each group of operations is for.

use utoipa::openapi::{Server, ServerBuilder, Tag, server::ServerVariableBuilder, tag::TagBuilder};

const TAGS: [(&str, &str); 11] = [
    ("Login", "Sessions: one or two logins, a bearer token, the end. Whoever begins, begins here."),
    ("Roles", "What holders of a role may do, and how many logins it takes."),
    ("Identities", "People and applications, which roles they hold, and by which API keys they act."),
    ("Keys", "Data keys: made, rotated, switched off and on. Keys of certificates and services are made with these."),
    (
        "Tokenization",
        "Token profiles and their Control Rules; messages become tokens and back, one by one or in batches.",
    ),
    (
        "Certificates",
        "Authorities, certificates and their profiles: issued, imported, renewed, revoked; who approves what is issued.",
    ),
    (
        "Signing",
        "Signing services and policies, requests that wait for approvals, and proposals: what takes effect once enough \
         people have approved it.",
    ),
    (
        "Notices",
        "Who hears of what waits, was decided, ends or failed, what could not be delivered yet, and where people have what \
         concerns them sent.",
    ),
    ("Audit", "Who did what, when, and how it ended."),
    ("System", "The settings of the installation, and the state of this process."),
    (
        "Public",
        "For anybody, also over plain http at `--public-listen`: certificates of authorities, revocation lists, OCSP, time \
         stamps, and the transparency log.",
    ),
];

/// The groups in the order in which people need them.
pub(super) fn tags() -> Vec<Tag> {
    let tag = |(name, description): (&str, &str)| TagBuilder::new().name(name).description(Some(description)).build();
    TAGS.map(tag).into()
}

/// The server that answers the document, for whoever reads it there; and one with an address, for whoever has the file.
pub(super) fn servers() -> Vec<Server> {
    let variable = |default: &str, description: &str| {
        ServerVariableBuilder::new().default_value(default).description(Some(description))
    };
    let here = ServerBuilder::new().url("/").description(Some("The server that answers this document")).build();
    let there = ServerBuilder::new()
        .url("https://{host}:{port}")
        .description(Some("A server by its address; its certificate comes from an authority of the installation's own"))
        .parameter("host", variable("127.0.0.1", "A name or an address of the server's certificate"))
        .parameter("port", variable("8443", "The port of `--listen`"))
        .build();
    vec![here, there]
}
