mod system;
mod unknown;
