//! Who may say of a type that it can be shown to read or to write. Making a value of one is the compiler's matter: its only field
//! is private to the file that has verified what it stands for.

use super::source::Source;

/// Files of core that have such types.
const FILES: &[&str] = &[
    "approval/proposals/stored_proposal.rs",
    "audit/archives/mod.rs",
    "audit/journal/watch.rs",
    "audit/ledger/sequencer.rs",
    "audit/shipping/ship.rs",
    "budgets/mod.rs",
    "chancery.rs",
    "context/activity.rs",
    "context/changes.rs",
    "context/clock_watch.rs",
    "context/grant.rs",
    "context/idempotency.rs",
    "context/record/mod.rs",
    "context/rows.rs",
    "context/storage/host.rs",
    "context/storage/open.rs",
    "chancery/health.rs",
    "identity/mod.rs",
    "identity/recovery.rs",
    "identity/sign_in.rs",
    "identity/state.rs",
    "keys/mod.rs",
    "log/public.rs",
    "log/sequencer.rs",
    "log/witnesses/ask.rs",
    "notices/deliver.rs",
    "notices/personal/confirm.rs",
    "pki/authority.rs",
    "pki/cert_profile/manage.rs",
    "pki/expiry.rs",
    "pki/lists.rs",
    "pki/ocsp/mod.rs",
    "pki/transport.rs",
    "signing/target.rs",
    "signing/time_stamp/mod.rs",
    "tokenization/rules/demands.rs",
    "tokenization/rules/token_rules.rs",
    "tokenization/vault/tidy.rs",
];

pub(super) fn check(source: &Source) -> Vec<String> {
    let Some(file) = source.path.to_str().and_then(|path| path.strip_prefix("crates/chancery-core/src/")) else {
        return Vec::new();
    };
    if source.is_test() || FILES.contains(&file) {
        return Vec::new();
    }
    let says = |line: &str| line.starts_with("impl ") && line.contains("Evidence for ");
    let said = source.code().filter(|(_, line)| says(line));
    said.map(|(number, _)| {
        source.complain(number, "evidence is made by few: name the file in xtask/src/tidy/evidence.rs")
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_listed_adds_no_evidence() {
        let found = |file: &str| {
            check(&Source::of(&format!("crates/chancery-core/src/{file}"), "impl Evidence for X {}\n")).len()
        };
        assert_eq!((found("context/grant.rs"), found("pki/new.rs"), found("pki/tests/new.rs")), (0, 1, 0));
    }
}
