//! `chancery log watch`: somebody who remembers. Each new checkpoint must extend the last one that was kept.

use std::{fs, io, path::Path, thread::sleep};

use chancery_client::Client;
use chancery_verify::log::{LogKey, NotLogged, verify_log_consistency};

use crate::{
    cli::client::LogWatch,
    client::{
        connection::reach,
        exit::{Exit, told, told_with, usage},
        servers,
    },
    failure::{Failure, While as _},
    output, private_file,
    shown::Shown,
};

pub(crate) fn run(command: &LogWatch) -> Result<Exit, Failure> {
    let (client, _) = reach(&command.server)?;
    let (key, text) = key(command, &client)?;
    // The key's name and id say which log it is, whatever address it is read at.
    let name: String =
        text.chars().map(|one| if one.is_ascii_alphanumeric() || ".-".contains(one) { one } else { '_' }).collect();
    let folder = servers::subfolder("logs")?;
    let kept = folder.join(format!("{}.checkpoint", name.chars().take(120).collect::<String>()));
    loop {
        match look(&client, &key, &kept) {
            // Whoever watches goes on when the server is back.
            Err(failure) if !command.once && crate::client::exit::exit_of(&failure) == Exit::Unreachable => {
                output::note(format_args!("chancery: {}", crate::failure::describe(failure.as_ref())));
            }
            Err(failure) => return Err(failure),
            Ok(Some(says)) => output::line(Shown(&says))?,
            Ok(None) if command.once => output::line("nothing new")?,
            Ok(None) => {}
        }
        if command.once {
            return Ok(Exit::Done);
        }
        sleep(command.interval);
    }
}

/// The key as it is given, or as it was kept the first time; a first one is kept, and said.
fn key(command: &LogWatch, client: &Client) -> Result<(LogKey, String), Failure> {
    if let Some(text) = &command.log_key {
        let key = text.parse().map_err(|error| usage(format!("--log-key: {error}")))?;
        return Ok((key, text.clone()));
    }
    let profile = servers::chosen(command.server.server_profile.as_deref())?;
    let path = servers::subfolder("logs")?.join(format!("{profile}.key"));
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => first_key(client, &path)?,
        read => read.doing(path.display().to_string())?,
    };
    let text = text.trim().to_owned();
    Ok((text.parse().doing(path.display().to_string())?, text))
}

fn first_key(client: &Client, path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(client.log_key()?).doing("the log's key")?;
    private_file::replace_beside_others(path, text.as_bytes()).doing(path.display().to_string())?;
    output::note(format_args!("The log's key is kept from now on: {}", Shown(text.trim())));
    output::note(format_args!("  Compare it with the one that its operator tells; --log-key KEY takes another."));
    Ok(text)
}

/// One look: nothing where the checkpoint is the one that is kept.
fn look(client: &Client, key: &LogKey, kept: &Path) -> Result<Option<String>, Failure> {
    let newer = String::from_utf8(client.checkpoint()?).doing("the checkpoint")?;
    let older = match fs::read_to_string(kept) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read.doing(kept.display().to_string())?),
    };
    if older.as_ref() == Some(&newer) {
        return Ok(None);
    }
    // The first one is compared with itself: its signature is checked.
    let first = older.is_none();
    let older = older.unwrap_or_else(|| newer.clone());
    let fetch = |name: &str| client.log_tile(name).map_err(|error| error.to_string());
    let (before, now) =
        verify_log_consistency(&older, &newer, key, fetch).map_err(|why| inconsistent(&why, &newer, kept))?;
    private_file::replace_beside_others(kept, newer.as_bytes()).doing(kept.display().to_string())?;
    let says = if first {
        format!("{}: {} entries, from now on kept", now.origin, now.size)
    } else {
        format!("{}: {} entries, beginning with the same {}", now.origin, now.size, before.size)
    };
    Ok(Some(says))
}

/// What proves that the log was changed is kept beside what was kept before.
fn inconsistent(why: &NotLogged, newer: &str, kept: &Path) -> Failure {
    if matches!(why, NotLogged::Tile(..)) {
        return told(Exit::Failed, format!("the log's tiles could not be read: {why}"));
    }
    let evidence = kept.with_extension("refused");
    let next = match private_file::replace_beside_others(&evidence, newer.as_bytes()) {
        Ok(()) => format!("Keep both, they are the evidence: {} and {}", kept.display(), evidence.display()),
        Err(error) => format!("Keep {}; the new one could not be kept: {error}", kept.display()),
    };
    told_with(Exit::Failed, format!("the log is not what it was: {why}"), next)
}
