//! `chancery password`: one's own password, beside the login.

use chancery_types::{
    Base64,
    wire::login::{ChangePassword, TotpCredentials},
};

use super::{
    login::password_of,
    totp::{client, credentials},
};
use crate::{
    cli::totp::OwnPassword,
    client::{
        exit::{Exit, usage},
        inputs::somebody_is_there,
    },
    failure::{Failure, While as _},
    output,
    password_input::ask_twice,
    shown::Shown,
};

pub(crate) fn run(command: &OwnPassword) -> Result<Exit, Failure> {
    let OwnPassword { person, new_password_file } = command;
    let TotpCredentials { username, password, totp, passkey: _ } = credentials(person, false)?;
    let name = &person.name;
    let new_password = match new_password_file {
        Some(file) => password_of(name, Some(file))?,
        None if somebody_is_there() => ask_twice(&format!("New password of {}: ", Shown(name)))?,
        None => {
            let message = "there is no new password: give --new-password-file FILE, or run this at a terminal";
            return Err(usage(message));
        }
    };
    let change =
        ChangePassword { username, password, totp, passkey: None, new_password: Base64(new_password.into_bytes()) };
    client(person)?.change_password(&change).doing("setting the password")?;
    output::line(format_args!("{} logs in by the new password from now on.", Shown(name)))?;
    Ok(Exit::Done)
}
