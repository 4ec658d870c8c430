//! Public files, over plain HTTP: what they are worth, their own hashes and signatures say.

use ureq::{Agent, http::Request};

use crate::{
    ClientError,
    transport::{Answer, PATIENCE},
};

/// What is at this address, which begins with `http://`.
///
/// # Errors
///
/// [`ClientError`] where nothing answers, or not with 200.
pub fn public_file(address: &str) -> Result<Vec<u8>, ClientError> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(PATIENCE))
        .build();
    let request = Request::builder().method("GET").uri(address).body(()).map_err(ureq::Error::from)?;
    let answer = Answer::read(Agent::from(config).run(request)?)?;
    if answer.status == 200 { Ok(answer.body) } else { Err(answer.unexpected(&"no such file")) }
}
