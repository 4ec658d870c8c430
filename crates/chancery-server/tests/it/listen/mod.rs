//! Real sockets: TLS, heads, sources, slow clients, stopping.

mod heads;
mod http2;
mod refused;
mod served;
mod slow;
mod sources;
mod stop;
mod tls;
