//! Limits by name, as `--limit NAME=NUMBER` and the file's `limit` set them.

use std::{collections::BTreeSet, time::Duration};

use chancery_core::Limits;
use chancery_server::Bounds;

use self::Place::{Number, Size, Time, Unset};
use crate::failure::{Failure, While as _};

/// Where a limit stands. Times are given in seconds, sizes in bytes, texts in characters.
enum Place<'a> {
    Size(&'a mut usize),
    Number(&'a mut u32),
    Time(&'a mut Duration),
    /// Without a default of its own.
    Unset(&'a mut Option<usize>),
}

type Find = for<'a> fn(&'a mut Limits, &'a mut Bounds) -> Place<'a>;

/// All limits, in the order in which docs/OPERATING.md lists them.
const LIMITS: &[(&str, Find)] = &[
    ("signing-body-max", |l, _| Size(&mut l.signing_body_max)),
    ("payload-max", |l, _| Size(&mut l.payload_max)),
    ("batch-body-max", |l, _| Size(&mut l.batch_body_max)),
    ("preview-body-max", |l, _| Size(&mut l.preview_body_max)),
    ("preview-samples-max", |l, _| Size(&mut l.preview_samples_max)),
    ("previews-per-minute", |l, _| Number(&mut l.previews_per_minute)),
    ("body-max", |l, _| Size(&mut l.body_max)),
    ("batch-values-max", |l, _| Size(&mut l.batch_values_max)),
    ("value-max", |l, _| Size(&mut l.value_max)),
    ("ff1-symbols-max", |l, _| Size(&mut l.ff1_symbols_max)),
    ("pattern-max", |l, _| Size(&mut l.pattern_max)),
    ("track-max", |l, _| Size(&mut l.track_max)),
    ("name-max", |l, _| Size(&mut l.name_max)),
    ("note-max", |l, _| Size(&mut l.note_max)),
    ("program-url-max", |l, _| Size(&mut l.program_url_max)),
    ("approvals-max", |l, _| Number(&mut l.approvals_max)),
    ("metadata-max", |l, _| Size(&mut l.metadata_max)),
    ("control-rules-max", |l, _| Size(&mut l.control_rules_max)),
    ("profile-versions-max", |l, _| Number(&mut l.profile_versions_max)),
    ("csr-max", |l, _| Size(&mut l.csr_max)),
    ("import-max", |l, _| Size(&mut l.imports.import_max)),
    ("import-certificates-max", |l, _| Size(&mut l.imports.import_certificates_max)),
    ("import-iterations-max", |l, _| Number(&mut l.imports.import_iterations_max)),
    ("cert-profiles-max", |l, _| Number(&mut l.cert_profiles_max)),
    ("cert-profile-entries-max", |l, _| Size(&mut l.cert_profile_entries_max)),
    ("certificates-per-name-max", |l, _| Number(&mut l.certificates_per_name_max)),
    ("inventory-scan-max", |l, _| Number(&mut l.lists.inventory_scan_max)),
    ("page-size-max", |l, _| Number(&mut l.page_size_max)),
    ("list-max", |l, _| Number(&mut l.list_max)),
    ("item-errors-max", |l, _| Size(&mut l.item_errors_max)),
    ("token-max", |l, _| Size(&mut l.token_max)),
    ("password-max", |l, _| Size(&mut l.password_max)),
    ("password-min", |l, _| Size(&mut l.password_min)),
    ("time-stamp-max", |l, _| Size(&mut l.time_stamp_max)),
    ("time-stamp-wait-max", |l, _| Time(&mut l.time_stamp_wait_max)),
    ("time-stamp-wait-for-all-max", |l, _| Time(&mut l.time_stamp_wait_for_all_max)),
    ("pool-queue-max", |l, _| Size(&mut l.pool_queue_max)),
    ("pool-wait-max", |l, _| Time(&mut l.pool_wait_max)),
    ("revocation-lists-kept-max", |l, _| Size(&mut l.revocation_lists_kept_max)),
    ("password-queue-max", |l, _| Size(&mut l.password_queue_max)),
    ("passwords-per-source-max", |l, _| Size(&mut l.passwords_per_source_max)),
    ("rsa-group-max", |l, _| Size(&mut l.rsa_group_max)),
    ("token-lifetime", |l, _| Time(&mut l.token_lifetime)),
    ("half-open-max", |l, _| Time(&mut l.half_open_max)),
    ("totp-pending-max", |l, _| Time(&mut l.logins.totp_pending_max)),
    ("idle-max", |l, _| Time(&mut l.idle_max)),
    ("session-max", |l, _| Time(&mut l.session_max)),
    ("logins-per-minute", |l, _| Number(&mut l.logins.per_minute)),
    ("batch-work-max", |l, _| Size(&mut l.batch_work_max)),
    ("pre-approved-digests-max", |l, _| Size(&mut l.pre_approvals.digests_max)),
    ("window-requests-max", |l, _| Number(&mut l.pre_approvals.requests_max)),
    ("window-max", |l, _| Time(&mut l.pre_approvals.window_max)),
    ("grant-tokens-max", |l, _| Size(&mut l.grants.tokens_max)),
    ("grant-values-max", |l, _| Number(&mut l.grants.values_max)),
    ("grant-lifetime-max", |l, _| Time(&mut l.grants.lifetime_max)),
    ("grants-waiting-per-caller-max", |l, _| Number(&mut l.grants.waiting_per_caller_max)),
    ("manifest-items-max", |l, _| Size(&mut l.manifest_items_max)),
    ("decisions-max", |l, _| Size(&mut l.decisions_max)),
    ("statement-rows-max", |l, _| Size(&mut l.lists.statement_rows_max)),
    ("identity-providers-max", |l, _| Number(&mut l.logins.identity_providers_max)),
    ("identity-bindings-max", |l, _| Number(&mut l.logins.identity_bindings_max)),
    ("passkeys-max", |l, _| Number(&mut l.logins.passkeys_max)),
    ("passkey-ceremony-max", |l, _| Time(&mut l.logins.passkey_ceremony_max)),
    ("passkey-pending-max", |l, _| Time(&mut l.logins.passkey_pending_max)),
    ("identity-bounds-max", |l, _| Size(&mut l.logins.identity_bounds_max)),
    ("one-time-password-max", |l, _| Time(&mut l.logins.one_time_password_max)),
    ("provider-keys-fresh", |l, _| Time(&mut l.logins.provider_keys_fresh)),
    ("provider-keys-max", |l, _| Time(&mut l.logins.provider_keys_max)),
    ("provider-keys-pause", |l, _| Time(&mut l.logins.provider_keys_pause)),
    ("provider-wait-max", |l, _| Time(&mut l.logins.provider_wait_max)),
    ("api-keys-max", |l, _| Number(&mut l.api_keys.keys_max)),
    ("api-key-entries-max", |l, _| Size(&mut l.api_keys.entries_max)),
    ("rule-items-max", |l, _| Size(&mut l.rule_items_max)),
    ("detokenize-staleness-max", |l, _| Time(&mut l.outage.detokenize_staleness_max)),
    ("tokenize-staleness-max", |l, _| Time(&mut l.outage.tokenize_staleness_max)),
    ("login-staleness-max", |l, _| Time(&mut l.outage.login_staleness_max)),
    ("revocation-staleness-max", |l, _| Time(&mut l.outage.revocation_staleness_max)),
    ("unwritten-counts-max", |l, _| Size(&mut l.outage.unwritten_counts_max)),
    ("unwritten-counts-age-max", |l, _| Time(&mut l.outage.unwritten_counts_age_max)),
    ("notice-targets-max", |l, _| Number(&mut l.notices.targets_max)),
    ("notices-waiting-max", |l, _| Number(&mut l.notices.waiting_max)),
    ("mailboxes-max", |l, _| Number(&mut l.notices.mailboxes_max)),
    ("mailbox-notices-waiting-max", |l, _| Number(&mut l.notices.mailbox_waiting_max)),
    ("mailbox-codes-per-hour", |l, _| Number(&mut l.notices.mailbox_codes_per_hour)),
    ("notices-age-max", |l, _| Time(&mut l.notices.age_max)),
    ("notices-kept", |l, _| Time(&mut l.notices.kept)),
    ("notice-wait-max", |l, _| Time(&mut l.notices.wait_max)),
    ("notice-answer-max", |l, _| Size(&mut l.notices.answer_max)),
    ("notice-followers-max", |l, _| Number(&mut l.notices.followers_max)),
    ("notice-followers-per-caller-max", |l, _| Number(&mut l.notices.followers_per_caller_max)),
    ("visitor-body-max", |l, _| Size(&mut l.bodies.visitor_body_max)),
    ("visitor-bytes-max", |l, _| Size(&mut l.bodies.visitor_bytes_max)),
    ("visitor-bytes-per-source-max", |l, _| Size(&mut l.bodies.visitor_bytes_per_source_max)),
    ("body-memory-max", |l, _| Size(&mut l.bodies.body_memory_max)),
    ("body-memory-per-caller-max", |l, _| Size(&mut l.bodies.body_memory_per_caller_max)),
    ("spool-max", |l, _| Size(&mut l.bodies.spool_max)),
    ("spool-per-caller-max", |l, _| Size(&mut l.bodies.spool_per_caller_max)),
    ("answer-memory-max", |l, _| Size(&mut l.bodies.answer_memory_max)),
    ("answer-memory-per-caller-max", |l, _| Size(&mut l.bodies.answer_memory_per_caller_max)),
    ("body-wait-max", |l, _| Time(&mut l.bodies.body_wait_max)),
    ("body-rate-min", |l, _| Size(&mut l.bodies.body_rate_min)),
    ("metadata-members-max", |l, _| Size(&mut l.lists.metadata_members_max)),
    ("audit-changes-max", |l, _| Size(&mut l.lists.audit_changes_max)),
    ("access-records-max", |l, _| Number(&mut l.lists.access_records_max)),
    ("list-offset-max", |l, _| Number(&mut l.lists.offset_max)),
    ("list-count-max", |l, _| Number(&mut l.lists.count_max)),
    ("list-scan-max", |l, _| Number(&mut l.lists.scan_max)),
    ("lists-at-once", |l, _| Size(&mut l.lists.at_once)),
    ("lists-waiting-max", |l, _| Size(&mut l.lists.waiting_max)),
    ("list-wait-max", |l, _| Time(&mut l.lists.wait_max)),
    ("journal-search-max", |l, _| Time(&mut l.lists.journal_search_max)),
    ("connections-max", |_, b| Size(&mut b.connections_max)),
    ("connections-per-source-max", |_, b| Unset(&mut b.connections_per_source_max)),
    ("handshake-max", |_, b| Time(&mut b.handshake_max)),
    ("head-max", |_, b| Time(&mut b.head_max)),
    ("write-stall-max", |_, b| Time(&mut b.write_stall_max)),
    ("head-bytes-max", |_, b| Number(&mut b.head_bytes_max)),
    ("streams-max", |_, b| Number(&mut b.streams_max)),
    ("streams-before-login-max", |_, b| Number(&mut b.streams_before_login_max)),
    ("stop-max", |_, b| Time(&mut b.stop_max)),
];

/// What --token-lifetime is called as a limit.
pub(super) const TOKEN_LIFETIME: &str = "token-lifetime";

/// Those that were given first, and of the others those that are not among them.
pub(super) fn merged(first: Option<Vec<String>>, others: Option<Vec<String>>) -> Option<Vec<String>> {
    let (Some(first), Some(others)) = (&first, &others) else { return first.or(others) };
    let is_new = |other: &&String| first.iter().all(|one| name_of(one) != name_of(other));
    Some(first.iter().chain(others.iter().filter(is_new)).cloned().collect())
}

/// Whether a limit is among those that were given.
pub(super) fn names(given: Option<&[String]>, limit: &str) -> bool {
    given.unwrap_or_default().iter().any(|given| name_of(given) == limit)
}

pub(super) fn without(mut given: Vec<String>, limit: &str) -> Vec<String> {
    given.retain(|given| name_of(given) != limit);
    given
}

fn name_of(limit: &str) -> &str {
    limit.split('=').next().unwrap_or_default()
}

/// Sets each of them; none stands there twice, since one of the two would not hold.
pub(super) fn set_all(limits: &mut Limits, bounds: &mut Bounds, given: &[String]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    for limit in given {
        set(limits, bounds, limit).doing(format!("--limit {limit}"))?;
        let name = name_of(limit);
        if !names.insert(name) {
            return Err(format!("--limit {limit}: {name} is given twice").into());
        }
    }
    Ok(())
}

/// Sets that of bearer tokens, which has a flag of its own besides; one of both is given.
pub(super) fn set_lifetime(
    limits: &mut Limits,
    bounds: &mut Bounds,
    given: &[String],
    seconds: u64,
) -> Result<(), Failure> {
    let set = if names(Some(given), TOKEN_LIFETIME) {
        Err("--limit token-lifetime=… is given too".into())
    } else {
        set(limits, bounds, &format!("{TOKEN_LIFETIME}={seconds}"))
    };
    set.doing(format!("--token-lifetime {seconds}"))
}

/// Sets one limit.
fn set(limits: &mut Limits, bounds: &mut Bounds, given: &str) -> Result<(), Failure> {
    let (name, number) = given.split_once('=').ok_or("a limit is NAME=NUMBER")?;
    let number: u32 = number.parse().map_err(|_| "the number must be whole, from 1 to 4294967295")?;
    if number == 0 {
        return Err("nothing would be allowed any more".into());
    }
    let find = LIMITS.iter().find(|(known, _)| *known == name).ok_or("there is no limit of this name")?.1;
    match find(limits, bounds) {
        Size(place) => *place = number as usize,
        Number(place) => *place = number,
        Time(place) => *place = Duration::from_secs(number.into()),
        Unset(place) => *place = Some(number as usize),
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

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;

    const OF_CORE: &str = include_str!("../../../chancery-core/src/base/limits.rs");
    const OF_LISTS: &str = include_str!("../../../chancery-core/src/base/limits/lists.rs");
    const OF_LOGINS: &str = include_str!("../../../chancery-core/src/base/limits/logins.rs");
    const OF_PRE_APPROVALS: &str = include_str!("../../../chancery-core/src/base/limits/pre_approvals.rs");
    const OF_SERVER: &str = include_str!("../../../chancery-server/src/listen/bounds.rs");
    const OPERATING: &str = include_str!("../../../../docs/OPERATING.md");
    const BEGINS: &str = "| limit | default | what it bounds |\n|---|---|---|\n";

    #[test]
    fn a_limit_is_a_known_name_and_a_positive_number() {
        let (mut limits, mut bounds) = (Limits::default(), Bounds::default());
        set(&mut limits, &mut bounds, "payload-max=1024").unwrap();
        set(&mut limits, &mut bounds, "stop-max=5").unwrap();
        assert_eq!((limits.payload_max, bounds.stop_max), (1024, Duration::from_secs(5)));
        for refused in ["payload-max", "payload-max=", "payload-max=-1", "payload-max=0", "payload_max=1", "=1"] {
            assert!(set(&mut limits, &mut bounds, refused).is_err(), "{refused}");
        }
        let twice = ["payload-max=2", "stop-max=6", "payload-max=2"].map(str::to_owned);
        let refused = set_all(&mut limits, &mut bounds, &twice).unwrap_err();
        assert!(refused.to_string().contains("payload-max is given twice"), "{refused}");
    }

    /// The member of each limit, as this file names it: its struct's name and its own.
    fn members() -> Vec<(&'static str, &'static str)> {
        let of = |path: &'static str| match path.rsplit_once('.') {
            Some(("l", name)) => ("Limits", name),
            Some(("l.bodies", name)) => ("BodyLimits", name),
            Some(("l.grants", name)) => ("GrantLimits", name),
            Some(("l.pre_approvals", name)) => ("PreApprovalLimits", name),
            Some(("l.imports", name)) => ("ImportLimits", name),
            Some(("l.lists", name)) => ("ListLimits", name),
            Some(("l.outage", name)) => ("OutageLimits", name),
            Some(("l.notices", name)) => ("NoticeLimits", name),
            Some(("l.api_keys", name)) => ("ApiKeyLimits", name),
            Some(("l.logins", name)) => ("LoginLimits", name),
            Some(("b", name)) => ("Bounds", name),
            other => panic!("{other:?}"),
        };
        let lines = include_str!("limits.rs").lines().filter(|line| line.starts_with("    (\""));
        lines.map(|line| of(line.split("(&mut ").nth(1).unwrap().trim_end_matches(")),"))).collect()
    }

    /// All members of a struct, each with what is said of it.
    fn documented(structure: &str) -> Vec<(&'static str, String)> {
        let begins = format!("pub struct {structure} {{\n");
        let source = [OF_CORE, OF_LISTS, OF_LOGINS, OF_PRE_APPROVALS, OF_SERVER]
            .into_iter()
            .find_map(|source| source.split_once(&begins));
        let (members, _) = source.unwrap().1.split_once("\n}").unwrap();
        let mut said = String::new();
        let mut documented = Vec::new();
        for line in members.lines().map(str::trim) {
            if let Some(more) = line.strip_prefix("///") {
                said.push_str(more);
            } else {
                let (name, kind) = line.strip_prefix("pub ").unwrap().split_once(": ").unwrap();
                if !kind.ends_with("Limits,") && !kind.ends_with("Proxies,") {
                    documented.push((name, said.trim().to_owned()));
                }
                said.clear();
            }
        }
        documented
    }

    fn default(name: &str, find: Find, said: &str) -> String {
        let (mut limits, mut bounds) = (Limits::default(), Bounds::default());
        let number = match find(&mut limits, &mut bounds) {
            // It depends on the machine.
            _ if name == "connections-max" => {
                return "three quarters of the files it may open, 8192 at most".to_owned();
            }
            Unset(_) => return "half of them".to_owned(),
            Time(time) => return format!("{} s", time.as_secs()),
            Size(size) => *size,
            Number(number) => *number as usize,
        };
        let units = [("MiB", 1 << 20), ("KiB", 1 << 10)];
        match units.iter().find(|(_, size)| said.starts_with("Bytes") && number % size == 0) {
            Some((unit, size)) => format!("{number} ({} {unit})", number / size),
            None => number.to_string(),
        }
    }

    #[test]
    fn operating_lists_every_limit_as_it_is() {
        let members = members();
        assert_eq!(members.len(), LIMITS.len());
        let row = |((name, find), (structure, member)): (&(&str, Find), &(&str, &str))| {
            let said = documented(structure).into_iter().find(|(known, _)| known == member).unwrap().1;
            format!("| `{name}` | {} | {said} |\n", default(name, *find, &said))
        };
        let table = LIMITS.iter().zip(&members).map(row).collect::<String>();
        let (before, rest) = OPERATING.split_once(BEGINS).unwrap();
        let written = &rest[..rest.find("\n\n").unwrap() + 1];
        if env::var_os("CHANCERY_WRITE_LIMITS").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/OPERATING.md");
            fs::write(path, format!("{before}{BEGINS}{table}{}", &rest[written.len()..])).unwrap();
        } else {
            assert!(table == written, "docs/OPERATING.md is old: CHANCERY_WRITE_LIMITS=1 with this test writes it");
        }
    }

    #[test]
    fn every_limit_can_be_set() {
        let members = members();
        for structure in [
            "Limits",
            "BodyLimits",
            "GrantLimits",
            "PreApprovalLimits",
            "ImportLimits",
            "ListLimits",
            "OutageLimits",
            "NoticeLimits",
            "ApiKeyLimits",
            "LoginLimits",
            "Bounds",
        ] {
            let missing: Vec<_> =
                documented(structure).into_iter().filter(|(name, _)| !members.contains(&(structure, name))).collect();
            assert!(missing.is_empty(), "no --limit sets {missing:?} of {structure}");
        }
    }
}
