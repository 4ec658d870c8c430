//! `chancery status`, `chancery whoami` and `chancery logout`: who is logged in where.

use std::{collections::BTreeSet, path::Path, time::Duration};

use chancery_client::Client;
use chancery_types::wire::whoami::WhoAmI;
use serde_json::json;

use crate::{
    cli::client::Logout,
    client::{
        connection::{Output, ServerOptions, logged_in},
        exit::{Exit, exit_of, told_with},
        servers::{self, SavedServer},
        target::{Target, read_key, refuse_half_key},
    },
    failure::{Failure, describe},
    output,
    resources::show,
    shown::{Shown, ShownName, escaped_json, names},
};

/// How long each server has to say that it is there.
const STATUS_WAIT: Duration = Duration::from_secs(5);

pub(crate) fn log_out(command: &Logout) -> Result<Exit, Failure> {
    let target = Target::of_profile(&command.server)?;
    let (name, server) = target.profile()?;
    let is_of_it = |known: &&SavedServer| known.state.is_some() && known.server == server.server;
    let end = |known: &SavedServer| match target.client()?.in_session(known.session.clone()).log_out() {
        // A session that had ended already is ended.
        Err(error) if !error.wants_login() => Err(Failure::from(error)),
        Ok(()) | Err(_) => Ok(()),
    };
    let known = Some(server).filter(is_of_it);
    // First there, where it counts: what is left here after that opens nothing.
    let mut ended = known.map_or(Ok(()), end);
    let taken = servers::end(name, command.forget).map_err(|failure| {
        let next = match &ended {
            Ok(()) => "The session is ended at the server; what is kept of it here could not be taken away.",
            Err(_) => "Nor could the server be told, where the session ends by itself.",
        };
        told_with(exit_of(&failure), describe(failure.as_ref()), next)
    })?;
    // Somebody may have logged in meanwhile.
    let other =
        taken.as_ref().filter(is_of_it).filter(|taken| known.is_none_or(|known| known.session != taken.session));
    if let Some(other) = other {
        ended = ended.and(end(other));
    }
    if ended.is_err() {
        output::note("chancery: the login is forgotten here; the server could not be told, where it ends by itself");
    }
    ended?;
    let says = if known.or(other).is_some() { "Logged out of" } else { "Nobody was logged in at" };
    output::line(format!("{says} {}.", server.server)).map(|()| Exit::Done)
}

/// A line for each server; the exit code is that of the one that is meant.
pub(crate) fn status(options: &ServerOptions) -> Result<Exit, Failure> {
    let known = servers::all()?;
    if known.is_empty() {
        let next = "Log in first: chancery login --server URL --ca FILE";
        return Err(told_with(Exit::NotLoggedIn, "no server is known", next));
    }
    let meant = Target::of_profile(options).ok().and_then(|target| target.saved).map(|(name, _)| name);
    let (mut rows, mut exit) = (Vec::new(), Exit::Done);
    for name in known {
        if options.server_profile.as_ref().is_some_and(|named| *named != name) {
            continue;
        }
        let server = match servers::readable(&name)? {
            Ok(Some(server)) => server,
            Ok(None) => continue,
            Err(why) => {
                rows.push(vec![name, String::new(), String::new(), why]);
                continue;
            }
        };
        if options.server.as_ref().is_some_and(|address| *address != server.server) {
            continue;
        }
        let (found, says) = standing(&server);
        if meant.as_ref() == Some(&name) {
            exit = found;
        }
        rows.push(vec![name, server.server.to_string(), names(server.names.iter().map(String::as_str), ", "), says]);
    }
    if rows.is_empty() {
        // The one that is named is not there: the same refusal as everywhere.
        let _none = Target::of_profile(options)?.profile()?;
    }
    match options.output {
        Output::Table => show::table(&["PROFILE", "SERVER", "WHO", "STATE"], &rows)?,
        Output::Json => {
            for row in rows {
                let line = json!({"profile": row[0], "server": row[1], "who": row[2], "state": row[3]});
                output::line(escaped_json(&line.to_string()))?;
            }
        }
    }
    Ok(exit)
}

/// Asks the server whether a login still holds.
fn standing(server: &SavedServer) -> (Exit, String) {
    let Ok(client) = Client::new(&server.server.to_string(), server.ca.as_bytes()) else {
        return (Exit::Usage, "its authority's certificate cannot be read".to_owned());
    };
    let mut client = client.in_session(server.session.clone()).tried_once();
    client.set_patience(STATUS_WAIT);
    if let Err(error) = client.health() {
        return (Exit::Unreachable, error.to_string());
    }
    match (&server.state, &server.api_key_file) {
        (None, _) => (Exit::NotLoggedIn, "logged out".to_owned()),
        (Some(_), Some(path)) => match key_logs_in(path, server) {
            Ok(()) => (Exit::Done, "an application, by its API key".to_owned()),
            Err(failure) => (exit_of(&failure), format!("its API key: {}", describe(failure.as_ref()))),
        },
        (Some(state), None) if !state.fully_logged_in => (Exit::NotLoggedIn, "a second login is missing".to_owned()),
        // As whatever the login was by: a workload's has a bearer token and nothing else.
        (Some(_), None) => match client.body("GET", "/api/v2/whoami", None) {
            Ok(_) => (Exit::Done, "logged in".to_owned()),
            Err(error) if error.wants_login() => (Exit::NotLoggedIn, format!("the login has ended: {error}")),
            Err(error) => {
                let says = error.to_string();
                (exit_of(&error.into()), says)
            }
        },
    }
}

/// Whether the key that is kept in a file still opens anything: by a login that is ended at once, as each command does.
fn key_logs_in(path: &Path, server: &SavedServer) -> Result<(), Failure> {
    // In no session: the one that the login began may be there still.
    let mut client = Client::new(&server.server.to_string(), server.ca.as_bytes())?.tried_once();
    client.set_patience(STATUS_WAIT);
    let state = client.log_in_by_key(&read_key(path)?)?;
    let _ended = client.log_out();
    refuse_half_key(&state)
}

pub(crate) fn whoami(options: &ServerOptions) -> Result<Exit, Failure> {
    logged_in(options, |connection| {
        let answer = connection.call("GET", "/api/v2/whoami", None)?;
        if connection.output == Output::Json {
            answer.print()?;
            return Ok(Exit::Done);
        }
        let who: WhoAmI = serde_json::from_value(answer.response)?;
        let mut lines = Vec::new();
        for one in &who.identities {
            let way = one.login.as_ref().map(|login| format!(", by {}", login.way)).unwrap_or_default();
            let from = one.source.as_ref().map(|source| format!(" from {source}")).unwrap_or_default();
            lines.push(("who", format!("{} ({}{way}{from})", ShownName(&one.name), one.kind)));
        }
        let roles: BTreeSet<_> =
            who.identities.iter().flat_map(|one| &one.roles).map(|role| role.name.as_str()).collect();
        lines.push(("roles", names(roles, ", ")));
        let perms: Vec<_> = who.perms.iter().map(ToString::to_string).collect();
        let perms = if perms.is_empty() { "none beside Control Rules".to_owned() } else { perms.join(", ") };
        lines.push(("perms", perms));
        if let (Some(end), Some(unused)) = (&who.session_ends_at, &who.unused_ends_at) {
            lines.push(("session ends", format!("{end}, unused {unused}")));
        }
        for (title, text) in lines {
            output::line(format!("{title:<13} {}", Shown(&text)))?;
        }
        Ok(Exit::Done)
    })
}
