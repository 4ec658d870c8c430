//! `chancery recover`: a person who has lost every way in is let in again, and two others answer for it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use chancery_client::Destination;
use chancery_core::{Answering, Error, Host, Meaning, Recovered};

use super::login::password_of;
use crate::{
    cli::recover::Recover,
    client::{
        exit::{Exit, exit_of, tell, told_with, usage},
        inputs::{ask, somebody_is_there},
    },
    failure::{Failure, While as _, describe},
    installation, output,
    shown::{self, Shown, ShownName},
};

const HOST: Host = Host::running("chancery recover");

/// How many answer for it.
const OTHERS: usize = 2;

const UNREAD: &str = "standard output: nobody reads it";

pub(crate) async fn run(command: Recover) -> ExitCode {
    let exit = match recovered(command).await {
        Ok(()) => Exit::Done,
        Err(failure) => {
            tell(&failure);
            exit_of(&failure)
        }
    };
    ExitCode::from(exit.code())
}

async fn recovered(command: Recover) -> Result<(), Failure> {
    let Recover { name, by, password_file, totp, emergency, keep_password, out, installation } = command;
    refuse_more_than_names(&by, password_file.len(), totp.len())?;
    let out = out.as_deref();
    out.map_or(Ok(()), refuse_place)?;
    let settings = installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let done = async {
        let names = chancery.identities.who_answers_for(&HOST, &name).await.map_err(|error| refused(&error))?;
        refuse_too_few(&names, by.len(), emergency.is_some())?;
        let mut answering = Vec::new();
        for (number, name) in by.iter().enumerate() {
            let password = password_of(name, password_file.get(number).map(PathBuf::as_path))?;
            answering.push(Answering::new(name, password, code_of(name, totp.get(number))?));
        }
        if out.is_none() && !keep_password && !output::is_read(&Destination::Standard)? {
            let message = format!("{UNREAD}, and the one-time password is shown there");
            return Err(told_with(Exit::Failed, message, "Nothing was changed. --out FILE keeps the password."));
        }
        let recover =
            chancery_core::Recover { name: name.clone(), by: answering, emergency, keeps_password: keep_password };
        let recovered = chancery.identities.recover_from_host(&HOST, recover).await.map_err(|error| refused(&error))?;
        hand_over(&recovered, &by, out)
    };
    let done = done.await;
    chancery.shut_down().await;
    done
}

fn refuse_more_than_names(by: &[String], files: usize, codes: usize) -> Result<(), Failure> {
    if files > by.len() || codes > by.len() {
        return Err(usage("there are more of --password-file or --totp than of --by, whose order they have"));
    }
    Ok(())
}

/// What cannot be taken back is not done where its outcome could not be kept: a file is made there, and taken away again.
fn refuse_place(out: &Path) -> Result<(), Failure> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(out);
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(usage(format!("--out {}: it exists already", out.display())))
        }
        made => made.and_then(|_| fs::remove_file(out)).doing(format!("--out {}", out.display())),
    }
}

/// Says who could answer for it, where too few are named.
fn refuse_too_few(names: &[String], named: usize, is_emergency: bool) -> Result<(), Failure> {
    if is_emergency || named >= OTHERS {
        return Ok(());
    }
    let who = match names {
        [] => "nobody".to_owned(),
        some => shown::names(some.iter().map(String::as_str), ", "),
    };
    let next = match names.len() {
        0 => "Nobody else manages identities. Then --emergency REASON recovers without others, and the alarm says so.",
        1 => "That is one. Then --emergency REASON with --by NAME, and the alarm says so.",
        _ => {
            "Name two of them with --by. Where not even two of them get in any more: --emergency REASON, with --by NAME for one \
             who does; the alarm says so."
        }
    };
    let message = format!("two others answer for a recovery, and {named} are named; who could: {who}");
    Err(told_with(Exit::Usage, message, next))
}

/// The one-time code of somebody who answers. Whether one is needed only they know.
fn code_of(name: &str, given: Option<&String>) -> Result<Option<String>, Failure> {
    let code = match given {
        Some(code) => code.clone(),
        None if somebody_is_there() => ask(&format!("One-time code of {} (empty where there is none): ", Shown(name)))?,
        None => return Ok(None),
    };
    Ok(Some(code).filter(|code| !code.is_empty()))
}

fn refused(error: &Error) -> Failure {
    use Meaning as M;
    let exit = match error.meaning() {
        M::Unauthenticated | M::Forbidden | M::State | M::ApiAccessDisabled | M::Exists => Exit::Refused,
        M::NotFound | M::Selection | M::Value | M::Malformed | M::TooLarge | M::Method | M::ContentType => Exit::Usage,
        M::Busy | M::Sealed | M::Unavailable | M::Internal => Exit::Failed,
    };
    let message = describe(error);
    told_with(exit, message, "Nothing was changed.")
}

/// Before anything else is said the password is written down: it is set, and nobody else knows it.
fn hand_over(recovered: &Recovered, by: &[String], out: Option<&Path>) -> Result<(), Failure> {
    let kept = match (&recovered.password, out) {
        (Some(password), Some(file)) => write_new(file, password).doing(format!("--out {}", file.display())),
        (None, _) | (_, None) => Ok(()),
    };
    let file = out.filter(|_| kept.is_ok());
    let said = say(recovered, by, file);
    if recovered.password.is_some() && file.is_none() && (said.is_err() || !output::was_read()) {
        let why = said.err().map_or_else(|| UNREAD.to_owned(), |failure| describe(failure.as_ref()));
        let next = "The one-time password is set, and lost. The same command sets another one; --out FILE keeps it.";
        return Err(told_with(Exit::Failed, why, next));
    }
    said.and(kept)
}

fn say(recovered: &Recovered, by: &[String], out: Option<&Path>) -> Result<(), Failure> {
    let name = ShownName(&recovered.identity.obj_info.name).to_string();
    let answered = match by {
        [] => "nobody but this host answered for it".to_owned(),
        [one] => format!("{} alone answered for it", ShownName(one)),
        several => format!("{} answered for it", shown::names(several.iter().map(String::as_str), " and ")),
    };
    output::line(format_args!(
        "Recovered {name}: {answered}. Its second factors are gone, and its sessions have ended."
    ))?;
    match (&recovered.password, out) {
        (Some(_), Some(file)) => output::line(format_args!("Its password for one use is in {}.", file.display()))?,
        (Some(password), None) => output::line(format_args!("One-time password: {}", password.as_str()))?,
        (None, _) => output::line("Its password is as it was.")?,
    }
    if let Some(until) = &recovered.identity.one_time_password_until {
        output::line(format_args!(
            "It sets another one and logs nobody in, until {until}: chancery password {name}, or the login page."
        ))?;
    }
    if recovered.identity.locked {
        output::line(format_args!("{name} is locked, and stays so: chancery unlock {name} lifts that."))?;
    }
    output::line(format_args!(
        "An alarm stays until administrators acknowledge it: chancery identity change {name} --recovery-acknowledged true"
    ))?;
    Ok(())
}

fn write_new(path: &Path, password: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(password.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()
}
