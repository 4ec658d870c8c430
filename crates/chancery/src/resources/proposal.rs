//! Proposals, as whoever decides on them has to see them.

use chancery_types::{
    ProposalDecision,
    wire::{proposals::Proposal, token_profiles::DetokenizeGrant},
};
use chancery_verify::hexadecimal;
use serde_json::Value;

use super::{effect, names::Names, show};
use crate::shown::{in_lines, together};

/// What is proposed, in lines, with what is to be looked at twice: all of the content, which is what people approve.
pub(crate) fn shown(proposal: &Proposal, twice: &[String], names: &Names<'_>) -> Vec<String> {
    let mut lines = vec![("proposal", proposal.obj_info.uuid.to_string()), ("name", proposal.obj_info.name.clone())];
    lines.extend(twice.iter().map(|one| ("look twice", one.clone())));
    lines.extend([
        ("kind", proposal.kind.to_string()),
        ("submitted", format!("{} by {}", proposal.submitted_at, together(&proposal.submitted_by))),
    ]);
    match serde_json::from_str::<Value>(&proposal.content) {
        Ok(content) => {
            let members = show::members(&content, names).into_iter();
            lines.extend(members.map(|(member, text)| ("content", format!("{member}: {text}"))));
        }
        Err(_) => lines.push(("content", proposal.content.clone())),
    }
    let this_month = proposal.detokenize_grant.iter().flat_map(|granted| &granted.this_month);
    lines.extend(this_month.map(|other| ("this month", granted(other))));
    lines.extend(proposal.effect.iter().flat_map(effect::lines).map(|line| ("effect", line)));
    lines.push(("approves", format!("{}  SHA-256 of all of the content", hexadecimal(&proposal.digest.0))));
    lines.extend(proposal.approvals.iter().filter(|one| !one.note.is_empty()).map(|one| {
        let who = together(&one.identities);
        ("note", format!("{who}: {}", one.note))
    }));
    lines.push(("approvals", approvals(proposal)));
    lines.extend(proposal.expires_at.iter().map(|end| ("until", end.clone())));
    in_lines(&lines)
}

/// What was granted before, to whom, and how much of it was used.
fn granted(grant: &DetokenizeGrant) -> String {
    let DetokenizeGrant { requested_by, reason, ticket, used, max_values, state, granted_at, .. } = grant;
    let ticket = ticket.as_ref().map(|ticket| format!(" ({ticket})")).unwrap_or_default();
    let at = granted_at.as_deref().unwrap_or_default();
    format!("{at} {}: {reason}{ticket}, {used} of {max_values} values used, {state}", together(requested_by))
}

fn approvals(proposal: &Proposal) -> String {
    let given: Vec<_> = proposal.approvals.iter().filter(|one| one.decision == ProposalDecision::Approve).collect();
    let names: Vec<_> = given.iter().map(|one| together(&one.identities)).collect();
    let by = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let required = usize::try_from(proposal.approvals_required).unwrap_or(usize::MAX);
    format!("{} of {required} given{by}, {} missing", given.len(), required.saturating_sub(given.len()))
}
