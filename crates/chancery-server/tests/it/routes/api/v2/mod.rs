mod audit;
mod identities;
mod key_types;
mod keys;
mod roles;
mod system;
mod token_profiles;
mod x509;
