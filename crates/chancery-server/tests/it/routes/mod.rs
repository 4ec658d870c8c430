mod home;
mod system;
mod unknown;
