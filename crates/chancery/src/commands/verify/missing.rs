//! What a command line lacks, told all at once.

use serde_json::Value;

use super::{Trouble, unreadable};
use crate::{
    cli::Verify,
    client::exit::{Exit, told_with},
};

/// An option, and what it is.
type Lack = (&'static str, &'static str);

const LOG_KEY: Lack = ("--log-key KEY", "the log's public key");
const CONTENT: Lack = ("--file FILE or --digest HEX", "what was signed");
const ROOT: Lack = ("--root FILE", "whom you trust");

/// What there is to verify, where nothing is named.
const WAYS: &str = "A signature alone: --signature FILE --root FILE, and --file FILE or --digest HEX\n\
    A signing request: --bundle FILE --log-key KEY, and --file FILE or --digest HEX\n\
    A certificate: --bundle FILE --log-key KEY\n\
    That the log only grew: --consistency OLDER NEWER --log PLACE --log-key KEY\n\
    chancery verify --help has all of them.";

/// Refuses a line that lacks something, whatever else is on it. The bundle, where there is one, says itself what it is of.
pub(super) fn refuse(command: &Verify, bundle: Option<&Value>) -> Result<(), Trouble> {
    let is_growth = command.consistency.is_some() || command.log.is_some();
    let lacks = if command.signature.is_some() {
        of_signature(command)
    } else if is_growth {
        of_growth(command)
    } else if command.bundle.is_none() && command.items.is_none() && command.item.is_none() {
        return Err(told_with(Exit::Usage, "nothing is named that shall be verified", WAYS).into());
    } else {
        of_bundle(command, bundle)
    };
    match lacks.as_slice() {
        [] => Ok(()),
        [(option, what)] => Err(unreadable(&format!("{option} is needed: {what}"))),
        several => {
            let all: Vec<_> = several.iter().map(|(option, what)| format!("{option} ({what})")).collect();
            Err(unreadable(&format!("these are needed: {}", all.join(", "))))
        }
    }
}

fn of_signature(command: &Verify) -> Vec<Lack> {
    lacking(&[(has_content(command), CONTENT), (command.root.is_some(), ROOT)])
}

fn of_growth(command: &Verify) -> Vec<Lack> {
    lacking(&[
        (command.log_key.is_some(), LOG_KEY),
        (command.consistency.is_some(), ("--consistency OLDER NEWER", "two checkpoints")),
        (command.log.is_some(), ("--log PLACE", "where the log's tiles are")),
    ])
}

fn of_bundle(command: &Verify, bundle: Option<&Value>) -> Vec<Lack> {
    let is_request = bundle.is_some_and(|bundle| bundle.get("serviceUuid").is_some());
    let is_manifest = bundle.is_some_and(|bundle| bundle.get("manifest").is_some_and(|manifest| !manifest.is_null()));
    let has_items = command.items.is_some() || command.item.is_some();
    let is_raw = is_request && bundle.is_some_and(|bundle| bundle["signingFormat"] == "Raw");
    // A raw signature is checked over the file itself, where somebody is trusted.
    let needs_file = is_raw && command.root.is_some();
    let content =
        if needs_file { ("--file FILE", "a raw signature is not checked by the digest alone") } else { CONTENT };
    let has_content = if needs_file { command.file.is_some() } else { has_content(command) };
    let trusts = command.tsa_root.is_some() || command.purpose.is_some() || command.crl.is_some() || command.allow_weak;
    lacking(&[
        (command.log_key.is_some(), LOG_KEY),
        (bundle.is_some(), ("--bundle FILE", "what GET answered of the signing request or the certificate")),
        (!is_manifest && !has_items || command.items.is_some(), ("--items FILE", "all pages of the manifest's items")),
        (!is_manifest && !has_items || command.item.is_some(), ("--item NAME", "which of them")),
        (!is_request || has_content, content),
        (!is_raw || command.certificate.is_some(), ("--certificate FILE", "a raw signature does not carry it")),
        (!trusts || command.root.is_some(), ROOT),
        (
            command.approver_keys.is_none() || command.approvals.is_some(),
            ("--approvals COUNT", "how many of them must have approved"),
        ),
    ])
}

const fn has_content(command: &Verify) -> bool {
    command.file.is_some() || command.digest.is_some()
}

fn lacking(all: &[(bool, Lack)]) -> Vec<Lack> {
    all.iter().filter(|(is_there, _)| !is_there).map(|(_, option)| *option).collect()
}
