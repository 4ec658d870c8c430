//! `awaited SERVER CA`: what a server's signing services are called. An application's key is in CHANCERY_API_KEY.

use std::{env, error::Error, fs};

use chancery_client::{AsyncClient, Client};
use chancery_types::wire::ListQuery;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [server, authority] = arguments.as_slice() else { return Err("awaited SERVER CA".into()) };
    let client = AsyncClient::new(Client::new(server, &fs::read(authority)?)?);
    let key = env::var("CHANCERY_API_KEY")?;
    for name in services(&client, key).await? {
        println!("{name}");
    }
    Ok(())
}

pub(crate) async fn services(client: &AsyncClient, api_key: String) -> Result<Vec<String>, Box<dyn Error>> {
    // What has no method of its own here, and several calls in a row, go through the blocking client.
    client
        .call(move |client| {
            client.stay_logged_in_by_key(&api_key)?;
            client.take_token()
        })
        .await?;
    let found = client.services(ListQuery::default()).await?.results;
    Ok(found.into_iter().map(|service| service.obj_info.name).collect())
}
