//! `chancery mailbox`: where somebody has what concerns it sent.

use chancery_types::{IdentityKind, wire::whoami::WhoAmI};
use serde_json::{Value, json};

use crate::{
    cli::mailbox::{MailboxCommand, MailboxSet, Whose},
    client::{
        connection::{Answer, Connection, Output, logged_in},
        exit::{Exit, told_with},
    },
    failure::Failure,
    output,
    resources::{self, names::Names, show},
    shown::{Shown, names},
};

pub(crate) fn run(command: MailboxCommand) -> Result<Exit, Failure> {
    let done = match command {
        MailboxCommand::Show(command) => logged_in(&command.whose.server, |connection| {
            let answer = connection.call("GET", &path(connection, &command.whose)?, None)?;
            shown(connection, &answer)
        }),
        MailboxCommand::Set(command) => logged_in(&command.whose.server, |connection| set(connection, &command)),
        MailboxCommand::Confirm(command) => logged_in(&command.whose.server, |connection| {
            let path = format!("{}/confirm", path(connection, &command.whose)?);
            let answer = connection.call("POST", &path, Some(&json!({"code": command.code})))?;
            shown(connection, &answer)
        }),
        MailboxCommand::Remove(command) => logged_in(&command.whose.server, |connection| {
            let path = path(connection, &command.whose)?;
            let answer = connection.call("DELETE", &path, None)?;
            if connection.output == Output::Json {
                return answer.print();
            }
            output::line("removed")
        }),
    };
    done.map(|()| Exit::Done)
}

fn path(connection: &Connection, whose: &Whose) -> Result<String, Failure> {
    let uuid = match &whose.identity {
        Some(name) => resolved(connection, "identity", name)?,
        None => own(connection)?,
    };
    Ok(format!("/api/v2/identities/{uuid}/mailbox"))
}

fn resolved(connection: &Connection, kind: &str, text: &str) -> Result<String, Failure> {
    let kind = resources::find(kind).ok_or("there is no such kind")?;
    Names::new(connection).resolve(kind, text)
}

/// The person who is logged in; of two it has to be said which.
fn own(connection: &Connection) -> Result<String, Failure> {
    let who: WhoAmI = serde_json::from_value(connection.get("/api/v2/whoami")?)?;
    let persons: Vec<_> = who.identities.iter().filter(|one| one.kind == IdentityKind::Person).collect();
    match persons.as_slice() {
        [one] => Ok(one.uuid.to_string()),
        [] => Err(told_with(Exit::Usage, "no person is logged in here", "Say whose mailbox is meant: --identity NAME")),
        several => {
            let names = names(several.iter().map(|one| one.name.as_str()), " and ");
            let message = format!("{names} are logged in together");
            Err(told_with(Exit::Usage, message, "Say whose mailbox is meant: --identity NAME"))
        }
    }
}

fn set(connection: &Connection, command: &MailboxSet) -> Result<(), Failure> {
    let path = path(connection, &command.whose)?;
    // The call says everything anew; what is not named here stays.
    let found = connection.get(&path)?;
    let now = if found["address"].is_null() { &found["pending"] } else { &found };
    let mut body = json!({"address": command.address});
    for member in ["kinds", "serviceUuids", "enabled"] {
        if !now[member].is_null() {
            body[member] = now[member].clone();
        }
    }
    if !command.kind.is_empty() {
        body["kinds"] = json!(all_or(&command.kind));
    }
    if !command.service.is_empty() {
        let uuids = all_or(&command.service).iter().map(|service| resolved(connection, "service", service));
        body["serviceUuids"] = uuids.collect::<Result<Vec<_>, _>>()?.into();
    }
    if let Some(enabled) = command.enabled {
        body["enabled"] = enabled.into();
    }
    let answer = connection.call("PUT", &path, Some(&body))?;
    shown(connection, &answer)?;
    if connection.output == Output::Table && answer.response["pending"] != Value::Null {
        output::note(format_args!(
            "chancery: a code was mailed to {}; enter it: chancery mailbox confirm CODE",
            Shown(&command.address)
        ));
    }
    Ok(())
}

/// None means all, to the server as well.
fn all_or(named: &[String]) -> &[String] {
    if matches!(named, [one] if one == "all") { &[] } else { named }
}

fn shown(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    show::details(&answer.response, &Names::new(connection))
}
