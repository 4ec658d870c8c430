//! `chancery passkey`: passkeys of people, which their browsers have made.

use chancery_types::{
    Base64, IdentityKind,
    wire::{
        passkeys::{ConfirmPasskey, Passkey, Passkeys, PatchPasskey},
        whoami::WhoAmI,
    },
};
use chancery_verify::hexadecimal;
use serde_json::{Value, json};

use crate::{
    cli::passkey::{OnePasskey, PasskeyCommand, PasskeyConfirm, PasskeyDelete, PasskeyList, PasskeyPins},
    client::{
        address::Address,
        connection::{Answer, Connection, Output, logged_in},
        consent,
        exit::{Exit, told_with},
    },
    failure::Failure,
    output,
    resources::{self, names::Names, show},
    shown::{Shown, shell_word},
};

pub(crate) fn run(command: PasskeyCommand) -> Result<Exit, Failure> {
    let done = match command {
        PasskeyCommand::List(list) => logged_in(&list.server, |connection| listed(connection, &list)),
        PasskeyCommand::Confirm(one) => logged_in(&one.one.server, |connection| confirmed(connection, &one)),
        PasskeyCommand::Rename(rename) => logged_in(&rename.one.server, |connection| {
            let body = PatchPasskey { name: rename.name.clone() };
            let answer = connection.call("PATCH", &path_of(connection, &rename.one)?, Some(&json!(body)))?;
            shown(connection, &answer)
        }),
        PasskeyCommand::Delete(delete) => logged_in(&delete.one.server, |connection| deleted(connection, &delete)),
        PasskeyCommand::Pins(pins) => logged_in(&pins.server, |connection| pinned(connection, &pins)),
    };
    done.map(|()| Exit::Done)
}

fn passkeys_of(connection: &Connection, identity: Option<&str>) -> Result<String, Failure> {
    let uuid = match identity {
        Some(name) => {
            let kind = resources::find("identity").ok_or("there is no such kind")?;
            Names::new(connection).resolve(kind, name)?
        }
        None => own(connection)?,
    };
    Ok(format!("/api/v2/identities/{uuid}/passkeys"))
}

/// The person who is logged in; of two it has to be said which.
fn own(connection: &Connection) -> Result<String, Failure> {
    let who: WhoAmI = serde_json::from_value(connection.get("/api/v2/whoami")?)?;
    let persons: Vec<_> = who.identities.iter().filter(|one| one.kind == IdentityKind::Person).collect();
    match persons.as_slice() {
        [one] => Ok(one.uuid.to_string()),
        _ => {
            Err(told_with(Exit::Usage, "it is not one person who is logged in", "Say whose are meant: --identity NAME"))
        }
    }
}

/// Where the passkey is that is meant.
fn path_of(connection: &Connection, one: &OnePasskey) -> Result<String, Failure> {
    let all = passkeys_of(connection, Some(&one.identity))?;
    let known: Passkeys = serde_json::from_value(connection.get(&all)?)?;
    let is_meant = |passkey: &&Passkey| {
        let info = &passkey.obj_info;
        info.uuid.to_string().eq_ignore_ascii_case(&one.passkey) || info.name == one.passkey
    };
    match known.results.iter().find(is_meant) {
        Some(passkey) => Ok(format!("{all}/{}", passkey.obj_info.uuid)),
        None => {
            let message = format!("{}: {} has no passkey of this name", one.passkey, one.identity);
            Err(told_with(Exit::Usage, message, "chancery passkey list --identity NAME shows those that there are."))
        }
    }
}

fn listed(connection: &Connection, list: &PasskeyList) -> Result<(), Failure> {
    let answer = connection.call("GET", &passkeys_of(connection, list.identity.as_deref())?, None)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    let text = |passkey: &Value, pointer: &str| passkey.pointer(pointer).map_or_else(|| "-".to_owned(), show::text);
    let row = |passkey: &Value| {
        let sha256 = passkey["publicKeySha256"].as_str().and_then(Base64::decode);
        vec![
            text(passkey, "/objInfo/name"),
            text(passkey, "/createdAt"),
            text(passkey, "/confirmedAt"),
            text(passkey, "/lastUsedAt"),
            sha256.map_or_else(|| "-".to_owned(), |sha256| hexadecimal(&sha256.0)),
            text(passkey, "/objInfo/uuid"),
        ]
    };
    let passkeys = answer.response["results"].as_array();
    let titles = ["NAME", "ENROLLED", "CONFIRMED", "LAST USED", "SHA-256", "UUID"];
    show::table(&titles, &passkeys.into_iter().flatten().map(row).collect::<Vec<_>>())
}

fn confirmed(connection: &Connection, confirm: &PasskeyConfirm) -> Result<(), Failure> {
    let digits = confirm.sha256.split_whitespace().collect::<String>();
    let sha256 = super::verify::from_hex(&digits).ok_or("--sha256: not hexadecimal")?;
    let body = json!(ConfirmPasskey { public_key_sha256: Base64(sha256) });
    let path = format!("{}/confirm", path_of(connection, &confirm.one)?);
    let answer = connection.call("POST", &path, Some(&body))?;
    shown(connection, &answer)
}

fn deleted(connection: &Connection, delete: &PasskeyDelete) -> Result<(), Failure> {
    let path = path_of(connection, &delete.one)?;
    if !delete.yes {
        output::note("A passkey that is deleted signs nothing any more; another one takes two people again.");
        let look = format!("Look at it with: chancery passkey list --identity {}", shell_word(&delete.one.identity));
        consent::asked("delete", &look)?;
    }
    let answer = connection.call("DELETE", &path, None)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    output::line(format_args!("deleted: {}", Shown(&delete.one.passkey)))
}

/// The file for `chancery verify`. Passkeys are for a host, and the console is where this server is reached if that is the
/// same; whoever reads it has to know better than this server.
fn pinned(connection: &Connection, pins: &PasskeyPins) -> Result<(), Failure> {
    let mut origin = None;
    for identity in &pins.identities {
        let all: Passkeys = serde_json::from_value(connection.get(&passkeys_of(connection, Some(identity))?)?)?;
        for passkey in all.results.iter().filter(|passkey| passkey.confirmed_at.is_some()) {
            let Passkey { identity_uuid, public_key, public_key_sha256, obj_info, rp_id, .. } = passkey;
            if origin.replace(rp_id.clone()).is_none() {
                let saved = connection.saved.as_ref().map(|(_, server)| &server.server);
                output::line("# The address of the console: compare it with the one that approvers see.")?;
                output::line(format_args!("origin {}", origin_of(rp_id, saved.or(pins.server.server.as_ref()))))?;
            }
            output::line(format_args!("# {}, {}", Shown(identity), Shown(&obj_info.name)))?;
            output::line(format_args!("# SHA-256 {}", hexadecimal(&public_key_sha256.0)))?;
            output::line(format_args!("approver {identity_uuid} {}", Base64::encode(&public_key.0)))?;
        }
    }
    Ok(())
}

fn origin_of(host: &str, address: Option<&Address>) -> String {
    let here = address.filter(|address| address.host() == host).map(Address::origin);
    here.unwrap_or_else(|| format!("https://{host}"))
}

fn shown(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    show::details(&answer.response, &Names::new(connection))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_is_where_the_server_is_reached_by_the_host_of_the_passkeys() {
        let at = |address: &str| origin_of("kms.example.org", Some(&address.parse().unwrap()));
        assert_eq!(at("https://kms.example.org:8443/path"), "https://kms.example.org:8443");
        assert_eq!(at("https://kms.example.org:443"), "https://kms.example.org");
        assert_eq!(at("https://10.0.0.1:8443"), "https://kms.example.org");
        assert_eq!(origin_of("kms.example.org", None), "https://kms.example.org");
    }
}
