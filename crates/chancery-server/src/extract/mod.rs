//! From a request to typed arguments. A handler lists them in the order in which the interface checks: who calls, the
//! path, the query, then the body (its content type, its size, its syntax).

mod authenticated;
mod body;
mod client_certificate;
mod in_path;
mod operator;
mod query;
mod session_cookie;
mod shown;
mod visitor;

pub(crate) use authenticated::Authenticated;
pub use body::check_temporary_folder;
pub(crate) use body::{
    BatchBody, Body, BodyOrEmpty, Gate, NotedBody, PreviewBody, SecretBody, SigningBody, VisitorBody,
    VisitorBodyOrEmpty, VisitorBytes, digest_of_body, receive,
};
pub(crate) use client_certificate::ClientCertificate;
pub(crate) use in_path::{BothInPath, InPath};
pub(crate) use operator::Operator;
pub(crate) use query::Query;
pub(crate) use session_cookie::SessionCookie;
pub(crate) use shown::Shown;
pub(crate) use visitor::Anybody;
