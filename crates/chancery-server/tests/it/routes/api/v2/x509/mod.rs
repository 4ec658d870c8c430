mod cert_profiles;
mod download;
mod generate;
mod revoke;
mod uuid;
