//! Real sockets: TLS, heads, sources, slow clients, stopping.

mod bytes;
mod heads;
mod http2;
mod lists;
mod refused;
pub(crate) mod served;
mod slow;
mod sources;
mod stop;
mod tls;
mod unread;
mod untaken;
