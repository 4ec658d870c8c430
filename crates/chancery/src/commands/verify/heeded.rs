//! Which options each way of verifying heeds. All others are refused, not passed over: whoever names approvers or a root and
//! reads "verified" takes them for checked.

use serde_json::Value;

use super::{Trouble, is_of_request, unreadable};
use crate::cli::{Verify, witnesses::WitnessOptions};

/// What is verified, in words, and by which options.
type Way = (&'static str, &'static [&'static str]);

const SIGNATURE: Way = (
    "a signature without its bundle",
    &["--signature", "--file", "--digest", "--root", "--tsa-root", "--purpose", "--crl", "--allow-weak"],
);
const GROWTH: Way = ("two checkpoints", &["--consistency", "--log", "--log-key", "--witness-key", "--witnesses"]);
const REQUEST: Way = (
    "the bundle: it is a signing request",
    &[
        "--bundle",
        "--log-key",
        "--items",
        "--item",
        "--file",
        "--digest",
        "--root",
        "--tsa-root",
        "--purpose",
        "--crl",
        "--allow-weak",
        "--certificate",
        "--approver-keys",
        "--approvals",
        "--witness-key",
        "--witnesses",
    ],
);
const CERTIFICATE: Way = (
    "the bundle: it is a certificate",
    &["--bundle", "--log-key", "--file", "--issuer", "--witness-key", "--witnesses"],
);

/// Refuses an option that would change nothing.
pub(super) fn refuse_others(command: &Verify, bundle: Option<&Value>) -> Result<(), Trouble> {
    let (what, heeded) = if command.signature.is_some() {
        SIGNATURE
    } else if command.consistency.is_some() || command.log.is_some() {
        GROWTH
    } else {
        match bundle {
            Some(bundle) if is_of_request(bundle) => REQUEST,
            Some(_) => CERTIFICATE,
            // That it lacks a bundle is told next.
            None => return Ok(()),
        }
    };
    let unheeded = given(command).into_iter().find(|option| !heeded.contains(option));
    match unheeded {
        Some(option) => Err(unreadable(&format!("{option} says nothing of {what}"))),
        None => Ok(()),
    }
}

/// The options of a line.
fn given(command: &Verify) -> Vec<&'static str> {
    // A new option is named here, or this does not compile.
    let Verify {
        log_key,
        bundle,
        signature,
        items,
        item,
        file,
        digest,
        root,
        tsa_root,
        purpose,
        crl,
        allow_weak,
        certificate,
        issuer,
        approver_keys,
        approvals,
        consistency,
        log,
        cosigned: WitnessOptions { witness_key, witnesses },
    } = command;
    let all = [
        ("--log-key", log_key.is_some()),
        ("--bundle", bundle.is_some()),
        ("--signature", signature.is_some()),
        ("--items", items.is_some()),
        ("--item", item.is_some()),
        ("--file", file.is_some()),
        ("--digest", digest.is_some()),
        ("--root", root.is_some()),
        ("--tsa-root", tsa_root.is_some()),
        ("--purpose", purpose.is_some()),
        ("--crl", crl.is_some()),
        ("--allow-weak", *allow_weak),
        ("--certificate", certificate.is_some()),
        ("--issuer", issuer.is_some()),
        ("--approver-keys", approver_keys.is_some()),
        ("--approvals", approvals.is_some()),
        ("--consistency", consistency.is_some()),
        ("--log", log.is_some()),
        ("--witness-key", !witness_key.is_empty()),
        ("--witnesses", witnesses.is_some()),
    ];
    all.into_iter().filter_map(|(option, is_given)| is_given.then_some(option)).collect()
}
