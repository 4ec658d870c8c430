//! `blocking SERVER CA PROFILE VALUE…`: tokens of values. An application's key is in CHANCERY_API_KEY.

use std::{env, error::Error, fs};

use chancery_client::Client;
use chancery_types::wire::ListQuery;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [server, authority, profile, values @ ..] = arguments.as_slice() else {
        return Err("blocking SERVER CA PROFILE VALUE…".into());
    };
    // The server must present a certificate of this authority, and of no other.
    let client = Client::new(server, &fs::read(authority)?)?;
    for token in tokens(&client, &env::var("CHANCERY_API_KEY")?, profile, values)? {
        println!("{token}");
    }
    Ok(())
}

pub(crate) fn tokens(
    client: &Client,
    api_key: &str,
    profile: &str,
    values: &[String],
) -> Result<Vec<String>, Box<dyn Error>> {
    // The key is kept: a session that ends is followed by another.
    client.stay_logged_in_by_key(api_key)?;
    client.take_token()?;
    let found = client.token_profiles(&ListQuery::search(profile))?.results;
    let found = found.into_iter().find(|found| found.obj_info.name == profile).ok_or("there is no such profile")?;
    let mut tokens = Vec::new();
    for value in values {
        tokens.push(client.tokenize(found.obj_info.uuid, value)?.token);
    }
    Ok(tokens)
}
