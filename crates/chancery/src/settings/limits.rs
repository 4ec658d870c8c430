//! Limits by name, as `--limit NAME=NUMBER` and the file's `limit` set them.

use std::time::Duration;

use chancery_core::{BodyLimits, Limits};
use chancery_server::Bounds;

use crate::failure::Failure;

/// Sets one limit. Times are in seconds, sizes in bytes, texts in characters.
pub(super) fn set(limits: &mut Limits, bounds: &mut Bounds, given: &str) -> Result<(), Failure> {
    let (name, number) = given.split_once('=').ok_or("a limit is NAME=NUMBER")?;
    let number: u32 = number.parse().map_err(|_| "the number must be whole, from 1 to 4294967295")?;
    if number == 0 {
        return Err("nothing would be allowed any more".into());
    }
    let (size, time) = in_types(number);
    match name {
        "signing-body-max" => limits.signing_body_max = size,
        "payload-max" => limits.payload_max = size,
        "batch-body-max" => limits.batch_body_max = size,
        "preview-body-max" => limits.preview_body_max = size,
        "preview-samples-max" => limits.preview_samples_max = size,
        "previews-per-minute" => limits.previews_per_minute = number,
        "body-max" => limits.body_max = size,
        "batch-values-max" => limits.batch_values_max = size,
        "value-max" => limits.value_max = size,
        "ff1-symbols-max" => limits.ff1_symbols_max = size,
        "pattern-max" => limits.pattern_max = size,
        "track-max" => limits.track_max = size,
        "name-max" => limits.name_max = size,
        "note-max" => limits.note_max = size,
        "program-url-max" => limits.program_url_max = size,
        "approvals-max" => limits.approvals_max = number,
        "metadata-max" => limits.metadata_max = size,
        "control-rules-max" => limits.control_rules_max = size,
        "profile-versions-max" => limits.profile_versions_max = number,
        "csr-max" => limits.csr_max = size,
        "import-max" => limits.imports.import_max = size,
        "import-certificates-max" => limits.imports.import_certificates_max = size,
        "import-iterations-max" => limits.imports.import_iterations_max = number,
        "cert-profiles-max" => limits.cert_profiles_max = number,
        "cert-profile-entries-max" => limits.cert_profile_entries_max = size,
        "certificates-per-name-max" => limits.certificates_per_name_max = number,
        "inventory-scan-max" => limits.lists.inventory_scan_max = number,
        "page-size-max" => limits.page_size_max = number,
        "list-max" => limits.list_max = number,
        "item-errors-max" => limits.item_errors_max = size,
        "token-max" => limits.token_max = size,
        "password-max" => limits.password_max = size,
        "password-min" => limits.password_min = size,
        "time-stamp-max" => limits.time_stamp_max = size,
        "time-stamp-wait-max" => limits.time_stamp_wait_max = time,
        "time-stamp-wait-for-all-max" => limits.time_stamp_wait_for_all_max = time,
        "pool-queue-max" => limits.pool_queue_max = size,
        "pool-wait-max" => limits.pool_wait_max = time,
        "revocation-lists-kept-max" => limits.revocation_lists_kept_max = size,
        "password-queue-max" => limits.password_queue_max = size,
        "passwords-per-source-max" => limits.passwords_per_source_max = size,
        "rsa-group-max" => limits.rsa_group_max = size,
        "token-lifetime" => limits.token_lifetime = time,
        "half-open-max" => limits.half_open_max = time,
        "idle-max" => limits.idle_max = time,
        "session-max" => limits.session_max = time,
        "logins-per-minute" => limits.logins_per_minute = number,
        _ => return set_of_requests(limits, bounds, name, number),
    }
    Ok(())
}

/// Refuses limits that leave nothing between them.
pub(super) fn check_together(limits: &Limits) -> Result<(), Failure> {
    let Limits { password_min, password_max, .. } = limits;
    if password_min > password_max {
        let why = format!("--limit password-min={password_min} and password-max={password_max}: no password would do");
        return Err(why.into());
    }
    Ok(())
}

/// One for batches, signing requests and API keys.
fn set_of_requests(limits: &mut Limits, bounds: &mut Bounds, name: &str, number: u32) -> Result<(), Failure> {
    let (size, time) = in_types(number);
    match name {
        "batch-work-max" => limits.batch_work_max = size,
        "pre-approved-digests-max" => limits.pre_approved_digests_max = size,
        "window-requests-max" => limits.window_requests_max = number,
        "window-max" => limits.window_max = time,
        "manifest-items-max" => limits.manifest_items_max = size,
        "decisions-max" => limits.decisions_max = size,
        "api-keys-max" => limits.api_keys.keys_max = number,
        "api-key-entries-max" => limits.api_keys.entries_max = size,
        "rule-items-max" => limits.rule_items_max = size,
        _ => return set_of_lists(limits, bounds, name, number),
    }
    Ok(())
}

/// One for a node that is cut off from its database.
fn set_of_outage(all: &mut Limits, bounds: &mut Bounds, name: &str, number: u32) -> Result<(), Failure> {
    let ((size, time), limits) = (in_types(number), &mut all.outage);
    match name {
        "detokenize-staleness-max" => limits.detokenize_staleness_max = time,
        "tokenize-staleness-max" => limits.tokenize_staleness_max = time,
        "login-staleness-max" => limits.login_staleness_max = time,
        "revocation-staleness-max" => limits.revocation_staleness_max = time,
        "unwritten-counts-max" => limits.unwritten_counts_max = size,
        "unwritten-counts-age-max" => limits.unwritten_counts_age_max = time,
        _ => return set_of_notices(all, bounds, name, number),
    }
    Ok(())
}

/// One of notices.
fn set_of_notices(all: &mut Limits, bounds: &mut Bounds, name: &str, number: u32) -> Result<(), Failure> {
    let ((size, time), limits) = (in_types(number), &mut all.notices);
    match name {
        "notice-targets-max" => limits.targets_max = number,
        "notices-waiting-max" => limits.waiting_max = number,
        "notices-age-max" => limits.age_max = time,
        "notices-kept" => limits.kept = time,
        "notice-wait-max" => limits.wait_max = time,
        "notice-answer-max" => limits.answer_max = size,
        "notice-followers-max" => limits.followers_max = number,
        "notice-followers-per-caller-max" => limits.followers_per_caller_max = number,
        _ => return set_of_bodies(&mut all.bodies, bounds, name, number),
    }
    Ok(())
}

/// One for bodies on their way.
fn set_of_bodies(limits: &mut BodyLimits, bounds: &mut Bounds, name: &str, number: u32) -> Result<(), Failure> {
    let (size, time) = in_types(number);
    match name {
        "visitor-body-max" => limits.visitor_body_max = size,
        "visitor-bytes-max" => limits.visitor_bytes_max = size,
        "visitor-bytes-per-source-max" => limits.visitor_bytes_per_source_max = size,
        "body-memory-max" => limits.body_memory_max = size,
        "body-memory-per-caller-max" => limits.body_memory_per_caller_max = size,
        "spool-max" => limits.spool_max = size,
        "spool-per-caller-max" => limits.spool_per_caller_max = size,
        "body-wait-max" => limits.body_wait_max = time,
        "body-rate-min" => limits.body_rate_min = size,
        _ => return set_bound(bounds, name, number),
    }
    Ok(())
}

/// One of lists.
fn set_of_lists(limits: &mut Limits, bounds: &mut Bounds, name: &str, number: u32) -> Result<(), Failure> {
    let (size, time) = in_types(number);
    match name {
        "metadata-members-max" => limits.lists.metadata_members_max = size,
        "audit-changes-max" => limits.lists.audit_changes_max = size,
        "list-offset-max" => limits.lists.offset_max = number,
        "list-count-max" => limits.lists.count_max = number,
        "list-scan-max" => limits.lists.scan_max = number,
        "lists-at-once" => limits.lists.at_once = size,
        "lists-waiting-max" => limits.lists.waiting_max = size,
        "list-wait-max" => limits.lists.wait_max = time,
        _ => return set_of_outage(limits, bounds, name, number),
    }
    Ok(())
}

/// One for connections.
fn set_bound(bounds: &mut Bounds, name: &str, number: u32) -> Result<(), Failure> {
    let (size, time) = in_types(number);
    match name {
        "connections-max" => bounds.connections_max = size,
        "connections-per-source-max" => bounds.connections_per_source_max = Some(size),
        "handshake-max" => bounds.handshake_max = time,
        "head-max" => bounds.head_max = time,
        "write-stall-max" => bounds.write_stall_max = time,
        "head-bytes-max" => bounds.head_bytes_max = number,
        "streams-max" => bounds.streams_max = number,
        "streams-before-login-max" => bounds.streams_before_login_max = number,
        "stop-max" => bounds.stop_max = time,
        _ => return Err("there is no limit of this name".into()),
    }
    Ok(())
}

fn in_types(number: u32) -> (usize, Duration) {
    (number as usize, Duration::from_secs(number.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_known_name_and_a_positive_number() {
        let (mut limits, mut bounds) = (Limits::default(), Bounds::default());
        set(&mut limits, &mut bounds, "payload-max=1024").unwrap();
        set(&mut limits, &mut bounds, "stop-max=5").unwrap();
        assert_eq!((limits.payload_max, bounds.stop_max), (1024, Duration::from_secs(5)));
        for refused in ["payload-max", "payload-max=", "payload-max=-1", "payload-max=0", "payload_max=1", "=1"] {
            assert!(set(&mut limits, &mut bounds, refused).is_err(), "{refused}");
        }
    }

    /// The names as this file reads them.
    fn names() -> Vec<&'static str> {
        let arms = include_str!("limits.rs").lines().filter(|line| line.contains("\" => "));
        arms.filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()).collect()
    }

    #[test]
    fn operating_lists_every_limit() {
        let operating = include_str!("../../../../docs/OPERATING.md");
        let missing: Vec<_> = names().into_iter().filter(|name| !operating.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "docs/OPERATING.md lacks {missing:?}");
    }

    #[test]
    fn every_limit_can_be_set() {
        let source = include_str!("../../../chancery-core/src/limits.rs");
        let members = source.lines().filter_map(|line| line.strip_prefix("    pub ")?.split_once(": "));
        // Structs of several limits, whose names here begin with what they are about.
        let members = members.filter(|(_, kind)| !kind.ends_with("Limits,")).map(|(name, _)| name.replace('_', "-"));
        let names = names();
        let is_set = |name: &String| names.iter().any(|known| known == name || known.ends_with(&format!("-{name}")));
        let missing: Vec<_> = members.filter(|name| !is_set(name) && !is_set(&format!("lists-{name}"))).collect();
        assert!(missing.is_empty(), "no --limit sets {missing:?}");
    }
}
