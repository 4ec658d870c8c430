mod api;
mod ca;
mod crl;
mod cuserv;
mod home;
mod ocsp;
mod system;
mod unknown;
