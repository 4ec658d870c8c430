//! `chancery log watch`: somebody who remembers. Each new checkpoint must extend the last one that was kept.

use std::{
    io,
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

use chancery_client::Client;
use chancery_verify::{
    ledger::{Demand, NotWitnessed},
    log::{Checkpoint, LogKey, NotLogged, NotSigned, verify_log_consistency},
};

use crate::{
    bounded,
    cli::client::LogWatch,
    client::{
        address::Address,
        exit::{Exit, passes, told, told_with, usage},
        servers,
        target::Target,
        trouble::Trouble,
    },
    failure::{Failure, While as _},
    output, private_file,
    shown::Shown,
};

/// How often, and after what time each, it is looked again whether witnesses have cosigned the newest checkpoint.
const COSIGNED_TRIES: u32 = 10;
const COSIGNED_WAIT: Duration = Duration::from_secs(1);

/// What is watched.
struct Watched {
    client: Client,
    address: Address,
    key: LogKey,
    /// Where the key is kept; nowhere where it is given.
    key_file: Option<PathBuf>,
    /// The last checkpoint.
    kept: PathBuf,
    /// Who must have cosigned it.
    demand: Demand,
}

pub(crate) fn run(command: &LogWatch) -> Result<Exit, Failure> {
    let watched = watched(command)?;
    let mut trouble = Trouble::new();
    loop {
        match watched.look() {
            // Whoever watches goes on when the server is back, and is told once that it is not.
            Err(failure) if !command.once && passes(&failure) => {
                let _as_often_as_ever = trouble.tell(&crate::failure::describe(failure.as_ref()));
            }
            Err(failure) => return Err(failure),
            Ok(says) => {
                trouble.over();
                match says {
                    Some(says) => output::line(Shown(&says))?,
                    None if command.once => output::line("nothing new")?,
                    None => {}
                }
            }
        }
        if command.once {
            return Ok(Exit::Done);
        }
        sleep(command.interval);
    }
}

fn watched(command: &LogWatch) -> Result<Watched, Failure> {
    let demand = command.cosigned.demand()?;
    let target = Target::of_profile(&command.server)?;
    let client = target.client()?;
    let folder = servers::subfolder("logs")?;
    let (key, key_file): (LogKey, _) = match &command.log_key {
        Some(text) => (text.parse().map_err(|error| usage(format!("--log-key: {error}")))?, None),
        None => {
            let path = folder.join(format!("{}.key", target.address.file_name()));
            (kept_key(&client, &path)?, Some(path))
        }
    };
    // The key's name and id say which log it is, whatever address it is read at.
    let name = key.to_string();
    let name = name.chars().map(|one| if one.is_ascii_alphanumeric() || ".-".contains(one) { one } else { '_' });
    let kept = folder.join(format!("{}.checkpoint", name.take(120).collect::<String>()));
    Ok(Watched { client, address: target.address, key, key_file, kept, demand })
}

/// The key as it was kept the first time at this address; a first one is kept, and said.
fn kept_key(client: &Client, path: &Path) -> Result<LogKey, Failure> {
    let text = match bounded::open_text(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => first_key(client, path)?,
        read => read.doing(path.display().to_string())?,
    };
    text.parse().doing(path.display().to_string())
}

fn first_key(client: &Client, path: &Path) -> Result<String, Failure> {
    let text = String::from_utf8(client.log_key()?).doing("the log's key")?;
    private_file::replace_beside_others(path, text.as_bytes()).doing(path.display().to_string())?;
    output::note(format_args!("The log's key is kept from now on: {}", Shown(text.trim())));
    output::note(format_args!("  Compare it with the one that its operator tells; --log-key KEY takes another."));
    Ok(text)
}

impl Watched {
    /// One look: nothing where the checkpoint is the one that is kept.
    fn look(&self) -> Result<Option<String>, Failure> {
        let Self { client, key, kept, .. } = self;
        let newer = self.cosigned()?;
        let older = match bounded::open_text(kept) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.doing(kept.display().to_string())?),
        };
        // Cosignatures may have come to the same checkpoint.
        let text = |note: &str| note.rsplit_once("\n\n").map(|(text, _)| text.to_owned());
        if older.as_ref().is_some_and(|older| *older == newer || text(older) == text(&newer) && text(older).is_some()) {
            return Ok(None);
        }
        // Whether it is this log at all is another question than whether it only grew.
        if Checkpoint::open(&newer, key) == Err(NotSigned::Unknown) {
            return Err(self.other_log());
        }
        // The first one is compared with itself: its signature is checked.
        let first = older.is_none();
        let older = older.unwrap_or_else(|| newer.clone());
        let mut unread = None;
        let fetch = |name: &str| client.log_tile(name).map_err(|error| unread.insert(error).to_string());
        let compared = verify_log_consistency(&older, &newer, key, fetch);
        let (before, now) = match (compared, unread) {
            // Nothing is said of the log by a server that cannot answer just now.
            (Err(NotLogged::Tile(tile, _)), Some(error)) if error.passes() => {
                return Err(error).doing(format!("the log's tile {tile}"));
            }
            (compared, _) => compared.map_err(|why| inconsistent(&why, &newer, kept))?,
        };
        private_file::replace_beside_others(kept, newer.as_bytes()).doing(kept.display().to_string())?;
        let says = if first {
            format!("{}: {} entries, from now on kept", now.origin, now.size)
        } else {
            format!("{}: {} entries, beginning with the same {}", now.origin, now.size, before.size)
        };
        Ok(Some(says))
    }

    /// The newest checkpoint, once as many witnesses have cosigned it as are demanded: it takes them a moment.
    fn cosigned(&self) -> Result<String, Failure> {
        let mut tries = 0;
        loop {
            let note = String::from_utf8(self.client.checkpoint()?).doing("the checkpoint")?;
            match self.demand.meets(&note) {
                Ok(_) => return Ok(note),
                Err(NotWitnessed::TooFew { .. }) if tries < COSIGNED_TRIES => tries += 1,
                Err(why) => return Err(told(Exit::Failed, format!("the checkpoint is not believed: {why}"))),
            }
            sleep(COSIGNED_WAIT);
        }
    }

    /// It may be another server's log, or somebody's who has taken this one's place: its operator knows.
    fn other_log(&self) -> Failure {
        let message = format!("the log at {} is another one: it is not signed with the key {}", self.address, self.key);
        let told = self.client.log_key().ok().and_then(|key| String::from_utf8(key).ok());
        let told = told.map(|key| format!("The server says that its key is {}\n", key.trim())).unwrap_or_default();
        let next = match &self.key_file {
            Some(path) => format!("Ask its operator. If the log was replaced on purpose, remove {}", path.display()),
            None => "Is --log-key the key of this server's log?".to_owned(),
        };
        told_with(Exit::OtherLog, message, told + &next)
    }
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
