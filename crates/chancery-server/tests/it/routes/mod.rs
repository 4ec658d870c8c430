mod api;
mod ca;
mod crl;
mod home;
mod system;
mod unknown;
