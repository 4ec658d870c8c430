//! `chancery login --oidc-token`: by a token of an identity provider.

use std::path::Path;

use chancery_core::Clock;

use super::{Attempt, Replaced, new_login, profile};
use crate::{
    client::{
        connection::ServerOptions,
        exit::{Exit, usage},
        inputs::read_text,
        servers::SavedServer,
        target::Target,
    },
    failure::{Failure, While as _},
    password_input::without_line_end,
};

/// A workload, whose token of an identity provider says who it is. What it gets for it is kept, and nothing to renew it by.
pub(super) fn log_in(target: Target, options: &ServerOptions, file: &Path) -> Result<Exit, Failure> {
    // The token itself is easily given in the place of its file, and must not be shown.
    if file.to_string_lossy().starts_with("eyJ") && !file.exists() {
        return Err(usage(
            "--oidc-token takes the FILE that the token is in, or - for standard input, and not the token",
        ));
    }
    let text = read_text("--oidc-token", file)?;
    let token = without_line_end(&text).trim();
    if token.is_empty() {
        return Err(usage(format!("--oidc-token {}: it is empty", file.display())));
    }
    let (client, client_of_replaced) = (target.client()?, target.client()?);
    let Target { address, ca, saved } = target;
    let (profile, known) = profile(saved, options, &address)?;
    let replaced = Replaced::of(known, &address, client_of_replaced);
    let state = client.exchange_token(token).doing("logging in by a provider's token")?;
    let server = SavedServer { state: Some(state), ..new_login(address, ca, Clock::System.now_ms()) };
    let mut login = Attempt { client, server, profile, directory: None };
    login.keep()?;
    login.say(options.output)?;
    replaced.end();
    Ok(Exit::Done)
}
