//! Real sockets: TLS, slow clients, stopping.

mod refused;
mod served;
mod slow;
mod stop;
mod tls;
