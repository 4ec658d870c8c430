//! What people approve: what stands for a manifest's many items, and for all that one signature covers.

use std::fmt::Write as _;

use chancery_keys::hash;
use chancery_types::{Decision, HashType, PolicyId, SigningRequestId};
use serde_json::Value;

/// What stands for a manifest when people approve it: SHA-256 of its lines, each a digest in hexadecimal digits, two
/// spaces, a name and a line feed, as `sha256sum` and its like print them. A name has no control characters, so no two
/// manifests have the same lines.
#[must_use]
pub fn manifest_digest<'a>(items: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut lines = String::new();
    for (name, digest) in items {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{}  {name}", hex::encode(digest));
    }
    hash(HashType::Sha2_256, lines.as_bytes()).as_bytes().to_vec()
}

/// What an approval is of, where a signature covers more than a digest: SHA-256 of `chancery approval 1` and a line feed,
/// then a line for each part as `sha256sum` prints it: the digest itself as `digest`, and SHA-256 of what else is signed by
/// its name in the interface. The first line is none of a manifest's.
#[must_use]
pub fn approval_digest<'a>(digest: &[u8], others: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut lines = format!("chancery approval 1\n{}  digest\n", hex::encode(digest));
    for (name, content) in others {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{}  {name}", hex::encode(hash(HashType::Sha2_256, content).as_bytes()));
    }
    hash(HashType::Sha2_256, lines.as_bytes()).as_bytes().to_vec()
}

/// The state of a policy in one digest: SHA-256 of it as the interface shows it, in JSON without white space and with all
/// members in the order of their names, as `jq -cSj` prints it. What waits to change it is not its state.
#[must_use]
pub fn policy_digest(mut policy: Value) -> Vec<u8> {
    if let Some(members) = policy.as_object_mut() {
        members.remove("pendingChange");
    }
    // Its maps are in the order of their keys.
    hash(HashType::Sha2_256, policy.to_string().as_bytes()).as_bytes().to_vec()
}

/// What a decision over many requests of one policy is of: a line that names the form, the decision, and lines as `sha256sum`
/// prints them: the policy's digest with its uuid, then what an approval of each request is of with the request's uuid, in
/// the order of the list. The first line is none of a manifest's.
#[must_use]
pub fn decisions_statement<'a>(
    decision: Decision,
    (policy, policy_digest): (PolicyId, &[u8]),
    requests: impl IntoIterator<Item = (SigningRequestId, &'a [u8])>,
) -> String {
    let mut lines = format!("chancery decisions 1\n{decision}\n{}  {policy}\n", hex::encode(policy_digest));
    for (request, approval_digest) in requests {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{}  {request}", hex::encode(approval_digest));
    }
    lines
}
