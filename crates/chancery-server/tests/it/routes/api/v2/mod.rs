mod key_types;
mod keys;
mod token_profiles;
mod x509;
