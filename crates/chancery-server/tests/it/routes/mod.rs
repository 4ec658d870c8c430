mod api;
mod ca;
mod crl;
mod cuserv;
mod home;
mod system;
mod unknown;
