//! Chancery over HTTP: routes, envelope, error table, and nothing else.
//!
//! A request passes the outermost layer (`middleware`), is extracted into typed arguments (`extract`, `decode`), and
//! reaches a handler under `routes/`, whose folders are the URL; the handler calls one method of the door and wraps its
//! answer. What is refused on the way leaves through `error_table` and `answer`.

mod answer;
mod app;
mod credentials;
mod decode;
mod error_table;
mod extract;
mod listen;
mod metrics;
mod middleware;
mod openapi;
mod remainder;
mod router;
mod routes;
mod session_cookie;

pub use listen::{Bounds, Site, TlsError, serve, tls_config};
pub use middleware::Peer;
pub use openapi::openapi;
pub use router::{public_router, router};
