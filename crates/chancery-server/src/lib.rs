//! Chancery over HTTP: routes, envelope, error table, and nothing else.
//!
//! A request passes the outermost layer (`middleware`), is extracted into typed arguments (`extract`, `decode`), and
//! reaches a handler under `routes/`, whose folders are the URL; the handler calls one method of the door and wraps its
//! answer. Two calls of which there are very many go round the router (`direct`). What is refused on the way leaves
//! through `error_table` and `answer`.

mod answer;
mod app;
mod credentials;
mod decode;
mod error_table;
mod extract;
mod fast_path;
mod headers;
mod listen;
mod metrics;
mod middleware;
mod openapi;
mod router;
mod routes;
mod session_cookie;
mod shares;
mod static_text;

pub use chancery_core::{Network, NotANetwork};
pub use extract::check_temporary_folder;
pub use listen::{Bounds, Site, Tls, TlsError, TrustedProxies, serve, tls_config, tls_config_asking};
pub use middleware::Peer;
pub use openapi::openapi;
pub use router::{Routes, public_router, router};
