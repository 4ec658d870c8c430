//! `chancery totp enrol|confirm|remove`: one's own second factor, beside the login.

use chancery_client::{Client, ClientError};
use chancery_types::{Base64, wire::login::TotpCredentials};
use serde_json::json;

use super::login::password_of;
use crate::{
    cli::totp::{Person, TotpCommand},
    client::{
        connection::Output,
        exit::{Exit, usage},
        inputs::{ask, somebody_is_there},
        target::Target,
    },
    failure::{Failure, While as _},
    output,
    shown::Shown,
};

pub(crate) fn run(command: &TotpCommand) -> Result<Exit, Failure> {
    match command {
        TotpCommand::Enrol(person) => enrol(person)?,
        TotpCommand::Confirm(person) => {
            client(person)?.confirm_totp(&credentials(person, true)?).doing("confirming the second factor")?;
            output::line(format_args!("{} logs in with a one-time code from now on.", Shown(&person.name)))?;
        }
        TotpCommand::Remove(person) => {
            client(person)?.remove_totp(&credentials(person, true)?).doing("removing the second factor")?;
            output::line(format_args!("{} logs in by the password alone from now on.", Shown(&person.name)))?;
        }
    }
    Ok(Exit::Done)
}

/// The secret goes to standard output alone, and is kept nowhere.
fn enrol(person: &Person) -> Result<(), Failure> {
    let enrolled = client(person)?.enrol_totp(&credentials(person, false)?);
    if let Err(ClientError::NotLoggedIn { status: 401, .. }) = &enrolled {
        output::note(
            "Whoever has a confirmed passkey shows it for this, with a browser: in the console, beside the login.",
        );
    }
    let secret = enrolled.doing("enrolling a second factor")?;
    match person.server.output {
        Output::Json => output::line(json!(secret))?,
        Output::Table => {
            if output::is_terminal() {
                draw(&secret.qr_code)?;
            }
            output::line(&secret.uri)?;
        }
    }
    output::note(format_args!(
        "Give this to an authenticator; it is shown this once. Then, before {}: chancery totp confirm {} --totp CODE",
        secret.expires_at,
        Shown(&person.name)
    ));
    Ok(())
}

/// How light it is around a QR code, in modules (ISO/IEC 18004).
const MARGIN: usize = 4;

/// Draws a QR code at a terminal, two rows a line, black on white whatever colours the terminal has.
fn draw(rows: &[String]) -> Result<(), Failure> {
    let size = rows.len();
    if size == 0 {
        return Ok(());
    }
    let is_dark = |x: usize, y: usize| {
        let row = y.checked_sub(MARGIN).and_then(|y| rows.get(y)).map(String::as_bytes);
        row.zip(x.checked_sub(MARGIN)).is_some_and(|(row, x)| row.get(x) == Some(&b'1'))
    };
    for y in (0..size + 2 * MARGIN).step_by(2) {
        let half = |x| match (is_dark(x, y), is_dark(x, y + 1)) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        };
        let line: String = (0..size + 2 * MARGIN).map(half).collect();
        output::line(format_args!("\x1b[30;107m{line}\x1b[0m"))?;
    }
    Ok(())
}

pub(super) fn client(person: &Person) -> Result<Client, Failure> {
    Target::of_profile(&person.server)?.client()
}

/// The proof. Enrolling takes a code where there are codes already, which only the person knows. A passkey takes a browser.
pub(super) fn credentials(person: &Person, needs_code: bool) -> Result<TotpCredentials, Failure> {
    let password = password_of(&person.name, person.password_file.as_deref())?;
    let totp = match &person.totp {
        Some(code) => Some(code.clone()),
        None if somebody_is_there() => {
            let question = if needs_code { "One-time code: " } else { "One-time code, where there is one already: " };
            Some(ask(question)?).filter(|code| !code.is_empty())
        }
        None => None,
    };
    if needs_code && totp.is_none() {
        return Err(usage("there is no one-time code: give --totp CODE, or run this at a terminal"));
    }
    Ok(TotpCredentials { username: person.name.clone(), password: Base64(password.into_bytes()), totp, passkey: None })
}
