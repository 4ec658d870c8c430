mod cert_profiles;
mod download;
mod generate;
mod revoke;
mod services;
mod signing_requests;
mod uuid;
