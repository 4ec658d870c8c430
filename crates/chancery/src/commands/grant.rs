//! `chancery grant`: approvals of detokenizing in full.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    cli::grant::{GrantCommand, GrantList, GrantOne, GrantRequest, GrantRevoke},
    client::{
        connection::{Answer, Connection, Output, logged_in},
        exit::Exit,
        inputs::{read_text, validity},
    },
    failure::Failure,
    output,
    resources::{self, names::Names, show},
};

pub(crate) fn run(command: GrantCommand) -> Result<Exit, Failure> {
    let done = match command {
        GrantCommand::Request(command) => logged_in(&command.server, |connection| request(connection, &command)),
        GrantCommand::List(command) => logged_in(&command.server, |connection| list(connection, &command)),
        GrantCommand::Show(one) => logged_in(&one.server, |connection| {
            let answer = connection.call("GET", &path_of(connection, &one)?, None)?;
            if connection.output == Output::Json {
                return answer.print();
            }
            show::details(&answer.response, &Names::new(connection))
        }),
        GrantCommand::Revoke(GrantRevoke { note, one }) => logged_in(&one.server, |connection| {
            let path = format!("{}/revoke", path_of(connection, &one)?);
            let body = note.as_ref().map_or_else(|| json!({}), |note| json!({"note": note}));
            told(connection, &connection.call("POST", &path, Some(&body))?)
        }),
    };
    done.map(|()| Exit::Done)
}

fn path(connection: &Connection, profile: &str) -> Result<String, Failure> {
    let id = resolved(connection, "profile", profile)?;
    Ok(format!("/api/v2/token-profiles/{id}/grants"))
}

fn path_of(connection: &Connection, one: &GrantOne) -> Result<String, Failure> {
    Ok(format!("{}/{}", path(connection, &one.profile)?, chancery_client::escaped(&one.grant)))
}

fn resolved(connection: &Connection, kind: &str, text: &str) -> Result<String, Failure> {
    let kind = resources::find(kind).ok_or("there is no such kind")?;
    Names::new(connection).resolve(kind, text)
}

fn request(connection: &Connection, command: &GrantRequest) -> Result<(), Failure> {
    let GrantRequest { profile, reason, ticket, note, role, tokens, max_values, lifetime, server: _ } = command;
    let mut body = json!({"reason": reason, "maxValues": max_values, "lifetime": validity(lifetime)?});
    for (member, text) in [("ticket", ticket), ("note", note)] {
        if let Some(text) = text {
            body[member] = text.as_str().into();
        }
    }
    if let Some(role) = role {
        body["roleUuid"] = resolved(connection, "role", role)?.into();
    }
    if let Some(file) = tokens {
        body["tokens"] = lines(file)?.into();
    }
    let answer = connection.call("POST", &path(connection, profile)?, Some(&body))?;
    told(connection, &answer)?;
    if connection.output == Output::Table {
        let uuid = show::text(&answer.response["uuid"]);
        output::note(format!(
            "Approvers see it by chancery approve, or in the console. Then: chancery detokenize --profile '{profile}' \
             --grant {uuid}"
        ));
    }
    Ok(())
}

/// The tokens of a file, a line each.
fn lines(file: &Path) -> Result<Vec<String>, Failure> {
    let text = read_text("--tokens", file)?;
    let text = text.trim_start_matches('\u{feff}');
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn told(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    let approvals = &answer.response["approvals"];
    output::line(format!(
        "{}  {}  {} of {} approvals",
        show::text(&answer.response["uuid"]),
        show::text(&answer.response["state"]),
        show::text(&approvals["given"]),
        show::text(&approvals["required"])
    ))
}

fn list(connection: &Connection, command: &GrantList) -> Result<(), Failure> {
    let waiting = if command.waiting { "?waiting=true" } else { "" };
    let answer = connection.call("GET", &format!("{}{waiting}", path(connection, &command.profile)?), None)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    let row = |one: &Value| {
        let tokens = one["tokens"].as_u64().map_or_else(|| "any".to_owned(), |count| count.to_string());
        vec![
            show::text(&one["uuid"]),
            show::text(&one["state"]),
            show::text(&one["requestedBy"]),
            show::text(&one["reason"]),
            show::text(&one["ticket"]),
            tokens,
            format!("{} of {}", one["used"], one["maxValues"]),
            show::text(&one["endsAt"]),
        ]
    };
    let rows: Vec<_> = answer.response["items"].as_array().into_iter().flatten().map(row).collect();
    show::table(&["UUID", "STATE", "WHO", "REASON", "TICKET", "TOKENS", "USED", "UNTIL"], &rows)
}
