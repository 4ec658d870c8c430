//! Who gains and who loses what by a change: before it is made, or beside its answer.

use chancery_client::ClientError;
use chancery_types::wire::reports::{AccessEffect, AccessRight, ChangedRight};
use serde::Deserialize as _;
use serde_json::Value;

use super::access::tell_uncertain;
use crate::{
    client::{
        connection::{Answer, Connection, Output},
        exit::usage,
    },
    failure::{Failure, While as _},
    output,
    shown::{Shown, ShownName, names},
};

/// What is told, before the change that it is of is made.
pub(crate) struct Foreseen(Option<AccessEffect>);

/// Asks what a change will do. Where that is refused, nothing is told: the change itself says what it is refused for.
pub(crate) fn foreseen(connection: &Connection, change: Option<&Value>) -> Result<Foreseen, Failure> {
    let Some(change) = change else { return Ok(Foreseen(None)) };
    match asked(connection, change) {
        Ok(answer) => read(&answer).map(|effect| Foreseen(Some(effect))),
        Err(ClientError::Refused { .. }) => Ok(Foreseen(None)),
        Err(failure) => Err(failure.into()),
    }
}

impl Foreseen {
    /// Tells what a change has done that was made. What was only proposed has done nothing yet; the proposal says what it
    /// will do.
    pub(crate) fn tell(&self, answer: &Answer) {
        if answer.response["state"] == "Approval" || waits_as(answer).is_some() {
            return;
        }
        self.0.iter().flat_map(lines).for_each(|line| output::note(Shown(&line)));
    }
}

/// The proposal that a change waits as, where the answer shows what it is as long as that is not approved.
pub(super) fn waits_as(answer: &Answer) -> Option<&str> {
    answer.response["pendingChange"]["uuid"].as_str()
}

/// Shows what a change would do, in the place of making it.
pub(crate) fn preview(connection: &Connection, change: &Value) -> Result<(), Failure> {
    let answer = asked(connection, change)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    let effect = read(&answer)?;
    if effect.is_none() {
        output::line("Nobody gains or loses a right by this.")?;
        return output::line("Batches, budgets and what a role demands at the login are no rights.");
    }
    lines(&effect).try_for_each(|line| output::line(Shown(&line)))
}

/// Shows who has gained and who has lost what since a moment, which the body names.
pub(crate) fn since(connection: &Connection, body: &Value) -> Result<(), Failure> {
    if body["since"].is_null() {
        return Err(usage("--since is needed: the moment since when"));
    }
    let answer = asked(connection, body)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    let effect = read(&answer)?;
    if effect.is_none() {
        output::line("Nobody has gained or lost a right since then.")?;
    }
    lines(&effect).try_for_each(|line| output::line(Shown(&line)))?;
    tell_uncertain(&answer.response)?;
    Ok(())
}

fn asked(connection: &Connection, change: &Value) -> Result<Answer, ClientError> {
    connection.call("POST", "/api/v2/reports/access/effect", Some(change))
}

fn read(answer: &Answer) -> Result<AccessEffect, Failure> {
    AccessEffect::deserialize(&answer.response).doing("the effect as the server has it")
}

/// A line for each right, what is gained first.
pub(crate) fn lines(effect: &AccessEffect) -> impl Iterator<Item = String> {
    let gains = effect.gains.iter().map(|one| line(["gains", "gain"], one));
    let loses = effect.loses.iter().map(|one| line(["loses", "lose"], one));
    let more = (effect.left_out > 0).then(|| format!("and {} more rights", effect.left_out));
    gains.chain(loses).chain(more)
}

fn line([one, several]: [&str; 2], changed: &ChangedRight) -> String {
    let ChangedRight { right, perm, object, mask, num_approvals, logins_required, identities, some } = changed;
    let who = if *identities == 1 { format!("1 identity {one}") } else { format!("{identities} identities {several}") };
    let what = perm.map_or_else(|| right.to_string(), |perm| perm.to_string());
    let with = object.as_ref().map(|info| format!(" of {}", ShownName(&info.name))).unwrap_or_default();
    let sees = match mask {
        Some(mask) => match (mask.mask, mask.reveal) {
            (Some(name), _) => format!(", seeing {name}"),
            (None, Some(reveal)) => {
                let from = mask.reveal_from.map(|side| format!(" from {side}")).unwrap_or_default();
                format!(", seeing {reveal}{from}")
            }
            (None, None) => String::new(),
        },
        None if *right == AccessRight::Detokenize => " in full".to_owned(),
        None => String::new(),
    };
    let logins = if *logins_required > 1 { format!(" ({logins_required} logins)") } else { String::new() };
    let asked = match num_approvals {
        Some(1) => ", each time with an approval".to_owned(),
        Some(count) => format!(", each time with {count} approvals"),
        None => String::new(),
    };
    let names = names(some.iter().map(|info| info.name.as_str()), ", ");
    let rest = if *identities > some.len() as u64 { ", …" } else { "" };
    format!("{who} {what}{with}{sees}{asked}{logins}: {}{rest}", names)
}
