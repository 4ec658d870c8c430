mod api;
mod ca;
mod crl;
mod cuserv;
mod home;
mod ocsp;
mod system;
pub(crate) mod tsa;
mod unknown;
