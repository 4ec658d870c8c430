mod api;
mod home;
mod system;
mod unknown;
