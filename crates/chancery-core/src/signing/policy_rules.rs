//! What a policy demands of requests besides the number of approvals.

use chancery_store::{Tx, tables};
use chancery_types::{
    RoleId,
    wire::{signing_policies::PolicyRules, token_profiles::Budget},
};

use super::{provenance::check_issuers, service::Policy};
use crate::{Caller, Error, Limits, Result, approval::requirement, budgets::check_budgets};

const HOUR_MS: i64 = 3_600_000;

/// Checks rules that are to be a policy's with this many approvals. Fields are those of the body that holds `rules`.
pub(crate) fn check(rules: &PolicyRules, num_approvals: u32, limits: &Limits) -> Result<()> {
    let PolicyRules {
        approval_steps,
        submitter_role_uuids,
        file_names,
        max_size,
        signatures_per_hour,
        signatures_per_day,
        budgets,
        request_lifetime,
        provenance_issuers,
        provenance_required,
        signed_approvals,
    } = rules;
    if *signed_approvals && num_approvals == 0 {
        let message = "Approvals are signed where a policy demands some: numApprovals is 0.";
        return Err(Error::value("/rules/signedApprovals", message));
    }
    requirement::check_steps("/rules", approval_steps, num_approvals, limits)?;
    requirement::check_length("/rules/submitterRoleUuids", submitter_role_uuids.len(), limits)?;
    requirement::check_length("/rules/fileNames", file_names.len(), limits)?;
    for (index, pattern) in file_names.iter().enumerate() {
        crate::base::text::check_name(&format!("/rules/fileNames/{index}"), pattern, limits)?;
    }
    let positive = |field: &str, value: Option<u64>| match value {
        Some(0) => Err(Error::value(field, "At least 1, or null for no limit.")),
        Some(_) | None => Ok(()),
    };
    positive("/rules/maxSize", *max_size)?;
    positive("/rules/signaturesPerHour", signatures_per_hour.map(u64::from))?;
    positive("/rules/signaturesPerDay", signatures_per_day.map(u64::from))?;
    check_budgets("/rules/budgets", budgets)?;
    if request_lifetime.is_some() {
        expiry(rules, 0)?;
    }
    check_issuers(provenance_issuers, *provenance_required, limits)
}

/// Looks whether the roles that rules name are there.
pub(crate) async fn check_roles(tx: &mut Tx, rules: &PolicyRules) -> Result<()> {
    for (index, role) in rules.submitter_role_uuids.iter().enumerate() {
        requirement::check_role(tx, &format!("/rules/submitterRoleUuids/{index}"), *role).await?;
    }
    requirement::check_roles(tx, "/rules", &rules.approval_steps).await
}

/// Whether this session may submit under these rules.
pub(crate) fn check_submitter(rules: &PolicyRules, caller: &Caller) -> Result<()> {
    let allowed: &[RoleId] = &rules.submitter_role_uuids;
    if allowed.is_empty() || caller.roles().iter().any(|role| allowed.contains(role)) {
        return Ok(());
    }
    Err(Error::forbidden("The policy takes requests only from certain roles, and this session holds none of them."))
}

/// Whether a request of this name may be submitted.
pub(crate) fn check_file_name(rules: &PolicyRules, name: &str) -> Result<()> {
    if rules.file_names.is_empty() || rules.file_names.iter().any(|pattern| matches(pattern, name)) {
        return Ok(());
    }
    let allowed = rules.file_names.join(", ");
    Err(Error::value("/name", format!("The policy takes requests with these names: {allowed}.")))
}

/// The moment at which a request that is submitted now stops waiting.
pub(crate) fn expiry(rules: &PolicyRules, now_ms: i64) -> Result<Option<i64>> {
    let lifetime = rules.request_lifetime.as_ref();
    lifetime.map(|lifetime| requirement::end("/rules/requestLifetime", lifetime, now_ms)).transpose()
}

/// Whether as many signatures can ever be made within an hour and a day, and within a window of each budget.
pub(crate) fn check_count(rules: &PolicyRules, count: usize) -> Result<()> {
    for (limit, word) in [(rules.signatures_per_hour, "an hour"), (rules.signatures_per_day, "24 hours")] {
        if let Some(limit) = limit.filter(|limit| count > *limit as usize) {
            return Err(Error::value("/items", format!("The policy allows {limit} signatures in {word}.")));
        }
    }
    if let Some(Budget { count, per, .. }) = rules.budgets.iter().find(|budget| count as u64 > budget.count) {
        let message = format!("The policy's budget allows {count} signatures per {per}; submit fewer at once.");
        return Err(Error::value("/items", message));
    }
    Ok(())
}

/// Whether signatures that are to be stored in this transaction keep within the policy's limits. RateLimited, with the
/// seconds until one more is allowed.
pub(crate) async fn check_rate(tx: &mut Tx, policy: &Policy, count: u32, now_ms: i64) -> Result<()> {
    let PolicyRules { signatures_per_hour, signatures_per_day, .. } = &policy.rules;
    if signatures_per_hour.is_none() && signatures_per_day.is_none() {
        return Ok(());
    }
    // What others have signed and not committed counts too.
    tables::turns::take(tx, "signing limits").await?;
    for (limit, window_ms, word) in
        [(*signatures_per_hour, HOUR_MS, "an hour"), (*signatures_per_day, 24 * HOUR_MS, "24 hours")]
    {
        let Some(limit) = limit else { continue };
        let (signed, earliest) =
            tables::signing_requests::signed_since(tx, policy.id.into(), now_ms - window_ms).await?;
        if signed.saturating_add(i64::from(count)) > i64::from(limit) {
            let free_at_ms = earliest.unwrap_or(now_ms).saturating_add(window_ms);
            let wait_s = u32::try_from((free_at_ms - now_ms).max(0) / 1_000 + 1).unwrap_or(u32::MAX);
            return Err(Error::busy(
                format!("The policy allows {limit} signatures in {word}; try again later."),
                wait_s,
            ));
        }
    }
    Ok(())
}

/// Whether a name fits a pattern: `*` for any characters, `?` for one, whatever the letter case. One pass with one place
/// to return to, so that no pattern takes more than the product of the lengths.
fn matches(pattern: &str, name: &str) -> bool {
    let folded = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (pattern, name) = (folded(pattern), folded(name));
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(symbol) if *symbol == '?' || *symbol == name[n] => (p, n) = (p + 1, n + 1),
            Some(_) | None => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|symbol| *symbol == '*')
}

#[cfg(test)]
mod tests {
    use chancery_types::{
        ValidityUnit,
        wire::{signing_policies::ApprovalStep, x509::ValidityPeriod},
    };

    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("*.exe", "Setup.EXE", true),
            ("*.exe", "setup.exe.txt", false),
            ("setup-?.?.msi", "setup-1.2.msi", true),
            ("setup-?.?.msi", "setup-1.22.msi", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("", "x", false),
            ("**", "anything", true),
            ("ä?", "ÄÖ", true),
            ("a", "a*", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
        let (pattern, name) = ("*a".repeat(127), "a".repeat(254) + "b");
        assert!(!matches(&pattern, &name), "and it takes no time");
    }

    #[test]
    fn steps_take_at_most_the_policys_approvals() {
        let step = |num_approvals| ApprovalStep { role_uuids: vec![RoleId::from_u128(1)], num_approvals };
        let rules =
            |steps: &[u32]| PolicyRules { approval_steps: steps.iter().map(|n| step(*n)).collect(), ..<_>::default() };
        let limits = Limits::default();
        check(&rules(&[1, 2]), 3, &limits).unwrap();
        check(&rules(&[1, 2]), 4, &limits).unwrap();
        let refused =
            |rules: &PolicyRules, count| check(rules, count, &limits).unwrap_err().field().unwrap().to_owned();
        assert_eq!(refused(&rules(&[1, 2]), 2), "/rules/approvalSteps");
        assert_eq!(refused(&rules(&[u32::MAX, 1]), 64), "/rules/approvalSteps");
        assert_eq!(refused(&rules(&[0]), 2), "/rules/approvalSteps/0/numApprovals");
        assert_eq!(refused(&rules(&[1; 101]), 64), "/rules/approvalSteps");
    }

    #[test]
    fn a_lifetime_ends_to_the_millisecond() {
        let rules = |amount: &str, unit| PolicyRules {
            request_lifetime: Some(ValidityPeriod { amount: amount.to_owned(), unit }),
            ..<_>::default()
        };
        assert_eq!(expiry(&rules("2", ValidityUnit::Hour), 1_500).unwrap(), Some(7_201_500));
        assert_eq!(expiry(&PolicyRules::default(), 1_500).unwrap(), None);
        for (amount, unit) in
            [("0", ValidityUnit::Day), ("999", ValidityUnit::Millisecond), ("9999999", ValidityUnit::Year)]
        {
            assert_eq!(expiry(&rules(amount, unit), 0).unwrap_err().field(), Some("/rules/requestLifetime/amount"));
        }
    }
}
