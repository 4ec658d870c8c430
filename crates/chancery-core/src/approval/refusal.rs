//! What the rules refuse, in the interface's words.

use chancery_types::{IdentityId, Perm, ShownName};
use chancery_x509::time::rfc3339_ms;

use super::rules::{Refusal, Standing};
use crate::{Caller, Error};

/// InvalidState for what has happened already, in the words of `decided`; NotAuthorized for who may not.
pub(crate) fn error(refusal: Refusal, caller: &Caller, decided: impl FnOnce(Standing) -> &'static str) -> Error {
    let name = |id| ShownName(name(id, caller));
    match refusal {
        Refusal::Standing(standing) => Error::state(decided(standing)),
        Refusal::Acted(id) => Error::state(format!("{} has approved this request already.", name(id))),
        // Whoever it belongs to may well be a person.
        Refusal::NotAPerson(_) if caller.has_key() => Error::forbidden(
            "An API key is a program's and approves nothing, whoever it belongs to; persons log in to approve.",
        ),
        Refusal::NotAPerson(_) if caller.is_of_a_program() => Error::forbidden(
            "A token that was exchanged for a provider's is a program's and approves nothing, whoever it stands for; persons \
             log in to approve.",
        ),
        Refusal::NotAPerson(id) => {
            Error::forbidden(format!("Only persons approve, and {} is an application.", name(id)))
        }
        Refusal::Submitter(id) => Error::forbidden(format!(
            "{} submitted this request and may not approve it, or only together with another person where the policy's \
             selfApproval is DualControl.",
            name(id)
        )),
        Refusal::NotAnApprover(id) => {
            Error::forbidden(format!("{} holds no role of this session that grants Signing:Approve.", name(id)))
        }
        Refusal::NotASubmitter(id) => {
            Error::forbidden(format!("{} did not submit this request; approvers deny it instead.", name(id)))
        }
        Refusal::Step(roles) => {
            let roles: Vec<_> = roles.iter().map(ToString::to_string).collect();
            Error::forbidden(format!(
                "It is the turn of approvers who have held one of these roles since before the request: {}.",
                roles.join(", ")
            ))
        }
        Refusal::TooRecent(id) => Error::forbidden(format!(
            "{} may only approve requests that were made after the account, its last password reset by another, its \
             permission to approve and what it logged in by{}.",
            name(id),
            since(caller, id)
        )),
    }
}

/// The same of a grant, which nobody who asked for it approves: there is no selfApproval.
pub(crate) fn of_grant(refusal: Refusal, caller: &Caller, decided: impl FnOnce(Standing) -> &'static str) -> Error {
    if let Refusal::Submitter(id) = refusal {
        let name = ShownName(name(id, caller));
        return Error::forbidden(format!("{name} asked for this grant and may not approve it, alone or with another."));
    }
    error(refusal, caller, decided)
}

fn name(id: IdentityId, caller: &Caller) -> &str {
    caller.members().iter().find(|member| member.id == id).map_or("somebody", |member| member.name.as_str())
}

/// When that was: where the server's clock was ahead then, it is a time to come.
fn since(caller: &Caller, id: IdentityId) -> String {
    let member = caller.members().iter().find(|member| member.id == id);
    let since_ms = member.and_then(|member| member.trusted_since(Perm::SigningApprove));
    since_ms.map(|at| format!(": after {} by the server's clock", rfc3339_ms(at))).unwrap_or_default()
}
