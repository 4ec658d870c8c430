//! A server refuses members of bodies; people typed flags. Here, and nowhere else, the one becomes the other.

use std::{error::Error, sync::OnceLock};

use chancery_client::ClientError;
use clap::ArgMatches;

use crate::{failure, resources};

/// A member, as a JSON pointer without the numbers of arrays, and the flag that gives it.
type Flag = (String, String);

/// A command's words, and its members with their flags.
type ByHand = (&'static [&'static str], &'static [(&'static str, &'static str)]);

/// The flags of commands that no table makes, by the command's words. Those of resources stand in `resources/table/`.
const BY_HAND: [ByHand; 12] = [
    (
        &["sign"],
        &[
            ("/serviceUuid", "service"),
            ("/policyUuid", "policy"),
            ("/name", "name"),
            ("/note", "note"),
            ("/metadata", "metadata"),
            ("/provenance", "provenance"),
            ("/programName", "program-name"),
            ("/programUrl", "program-url"),
            ("/pageHashes", "page-hashes"),
            ("/existingSignature", "append"),
            ("/uploadData", "upload"),
        ],
    ),
    (&["approve"], &[("/note", "note")]),
    (&["deny"], &[("/note", "note")]),
    (&["tokenize"], &[("/metadata", "metadata"), ("/expiresAt", "expires-at"), ("/keyVersion", "key-version")]),
    (&["detokenize"], &[("/keyVersion", "key-version"), ("/grantUuid", "grant")]),
    (&["rewrap"], &[("/keyVersion", "key-version")]),
    (&["track", "detokenize"], &[("/keyVersion", "key-version"), ("/grantUuid", "grant")]),
    (
        &["grant", "request"],
        &[
            ("/reason", "reason"),
            ("/ticket", "ticket"),
            ("/note", "note"),
            ("/roleUuid", "role"),
            ("/tokens", "tokens"),
            ("/maxValues", "max-values"),
            ("/lifetime", "lifetime"),
        ],
    ),
    (&["rule", "create"], RULE),
    (&["rule", "delete"], RULE),
    (
        &["cert", "request"],
        &[
            ("/serviceOrIssuerUuid", "issuer"),
            ("/certProfileUuid", "profile"),
            ("/subjectOneline", "subject"),
            ("/certParams/subjectAltNames", "san"),
            ("/certParams/validityPeriod", "validity"),
            ("/csr", "csr"),
        ],
    ),
    (
        &["cert", "renew"],
        &[
            ("/issuerUuid", "issuer"),
            ("/certProfileUuid", "profile"),
            ("/certParams/validityPeriod", "validity"),
            ("/certParams/hashAlgorithm", "hash"),
            ("/csr", "key"),
        ],
    ),
];

const RULE: &[(&str, &str)] = &[
    ("/controlRules/roleUuid", "role"),
    ("/controlRules/operation", "operation"),
    ("/controlRules/reveal", "reveal"),
    ("/controlRules/revealFrom", "reveal-from"),
    ("/controlRules/mask", "mask"),
    ("/controlRules/budgets", "budget"),
    ("/controlRules/approval", "approvals"),
];

/// Those of the command that this process runs: it runs one.
static TYPED: OnceLock<Vec<Flag>> = OnceLock::new();

/// Remembers which command was typed, for whatever it is refused.
pub(crate) fn remember(matches: &ArgMatches) {
    let mut words = Vec::new();
    let mut below = matches.subcommand();
    while let Some((word, matches)) = below {
        words.push(word);
        below = matches.subcommand();
    }
    // The first command stays the one.
    let _first = TYPED.set(flags_of(&words));
    failure::tell_in(in_words);
}

fn flags_of(words: &[&str]) -> Vec<Flag> {
    let by_hand = BY_HAND.iter().filter(|(command, _)| *command == words).flat_map(|(_, flags)| flags.iter());
    let by_hand = by_hand.map(|(member, flag)| ((*member).to_owned(), *flag));
    let of_table = match words {
        [resource, verb] => resources::flags_of(resource, verb),
        _ => Vec::new(),
    };
    by_hand.chain(of_table).map(|(member, flag)| (member, format!("--{flag}"))).collect()
}

/// What a cause says, in the words of whoever typed the command.
fn in_words(cause: &(dyn Error + 'static)) -> String {
    let text = cause.to_string();
    match (cause.downcast_ref(), TYPED.get()) {
        (Some(ClientError::Refused { response, .. }), Some(flags)) if !flags.is_empty() => {
            said(&text, response.field.as_deref(), &response.message, flags)
        }
        _ => text,
    }
}

/// The refusal with its flags. The member stays beside them: it may have come from `--file`.
fn said(text: &str, field: Option<&str>, message: &str, flags: &[Flag]) -> String {
    let named: Vec<_> = field.map(|field| of_member(field, flags)).unwrap_or_default();
    let mut words = with_flags(message, flags);
    if !named.is_empty() {
        let flag = if named.len() == 1 { "This flag is" } else { "These flags are" };
        words = words.replace("This member is", flag);
    }
    let text = text.replacen(message, &words, 1);
    let Some(rest) = field.and_then(|field| text.strip_prefix(field)).filter(|_| !named.is_empty()) else {
        return text;
    };
    format!("{} ({}){rest}", named.join(", "), field.unwrap_or_default())
}

/// The flag of a member; of what it is a part of; or those of its own parts.
fn of_member<'f>(field: &str, flags: &'f [Flag]) -> Vec<&'f str> {
    let parts = field.split('/').filter(|part| !part.is_empty() && part.parse::<usize>().is_err());
    let member: String = parts.map(|part| format!("/{part}")).collect();
    let is_in = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    let of = |has: &dyn Fn(&str) -> bool| -> Vec<&'f str> {
        flags.iter().filter(|(at, _)| has(at)).map(|(_, flag)| flag.as_str()).collect()
    };
    let exact = of(&|at| at == member);
    let around = of(&|at| is_in(&member, at));
    let within = of(&|at| is_in(at, &member));
    [exact, around, within].into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// A message that names members otherwise: those whose names are no words of the language.
fn with_flags(message: &str, flags: &[Flag]) -> String {
    let is_name = |character: char| character.is_ascii_alphanumeric();
    let flag_of = |word: &str| {
        let is_plain = word.chars().all(|character| character.is_ascii_lowercase());
        let flag = flags.iter().find(|(at, _)| at.rsplit('/').next() == Some(word)).map(|(_, flag)| flag.as_str());
        flag.filter(|_| !is_plain)
    };
    let mut said = String::with_capacity(message.len());
    let mut rest = message;
    // What stands in backticks is to be typed as it is.
    let mut is_quoted = false;
    while !rest.is_empty() {
        let end = rest.find(|character| !is_name(character)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        said.push_str(flag_of(word).filter(|_| !is_quoted).unwrap_or(word));
        let gap = behind.find(is_name).unwrap_or(behind.len());
        said.push_str(&behind[..gap]);
        is_quoted ^= behind[..gap].matches('`').count() % 2 == 1;
        rest = &behind[gap..];
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_as_the_flags_that_were_typed() {
        let flags = flags_of(&["service", "create"]);
        let told = |field: &str, message: &str| said(&format!("{field}: {message} (X)"), Some(field), message, &flags);
        assert_eq!(
            told("/pkisigning/numApprovals", "Must be a number, as timeStamp is not."),
            "--num-approvals (/pkisigning/numApprovals): Must be a number, as --time-stamp is not. (X)"
        );
        assert_eq!(
            told("/pkisigning/newCert", "This member is missing."),
            "--issuer, --subject, --key-type, --validity (/pkisigning/newCert): These flags are missing. (X)"
        );
        let san = "/pkisigning/newCert/certParams/validityPeriod/amount";
        assert_eq!(told(san, "No."), format!("--validity ({san}): No. (X)"));
        assert_eq!(told("/other", "The name is other."), "/other: The name is other. (X)");
        let typed = "Type `numApprovals 3`, as numApprovals.";
        assert_eq!(told("/other", typed), "/other: Type `numApprovals 3`, as --num-approvals. (X)");
        assert_eq!(said("No. (X)", None, "No.", &flags), "No. (X)");
        let rules = flags_of(&["rule", "create"]);
        assert_eq!(of_member("/controlRules/12/reveal", &rules), ["--reveal"]);
        let list = flags_of(&["audit", "list"]);
        assert_eq!(
            (of_member("/from", &list), of_member("/identityUuid", &list)),
            (vec!["--from"], vec!["--identity"])
        );
    }

    #[test]
    fn every_flag_here_is_one_of_its_command() {
        let whole = crate::commands::whole();
        for (words, flags) in BY_HAND {
            let command = words.iter().fold(&whole, |command, word| command.find_subcommand(word).unwrap());
            for (_, flag) in flags {
                let has = command.get_arguments().any(|arg| arg.get_long() == Some(flag));
                assert!(has, "{words:?}: --{flag}");
            }
        }
    }
}
