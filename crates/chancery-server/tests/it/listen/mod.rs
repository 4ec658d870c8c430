//! Real sockets: TLS, slow clients, stopping.

mod served;
mod slow;
mod stop;
mod tls;
