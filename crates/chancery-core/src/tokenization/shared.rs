//! Profiles that share tokens, those of one key and one tweak domain: their formats differ in how much they take alone, and
//! what partial rules show of a token counts together, whichever profile it is shown by.

use std::collections::HashMap;

use chancery_store::{
    Tx,
    tables::{self, token_profiles::Row},
};
use chancery_types::{KeyId, Operation, TokenAlgorithm, TokenProfileId, wire::token_profiles::ControlRule};
use uuid::Uuid;

use super::{key_move::is_silent, mask::Reveals, shape::Shape, spec::ProfileSpec};
use crate::{Error, Limits, Result};

/// In what one of two formats may take more than the other.
const MAY_DIFFER: [&str; 3] = ["/format/minLength", "/format/maxLength", "/format/passThrough"];

/// Which tokens a profile makes: those of this key, in this domain.
fn tokens_of(row: &Row) -> (Uuid, Uuid) {
    (row.key_id, row.tweak_domain.unwrap_or(row.id))
}

/// What the partial ones of these rules show between them.
pub(crate) fn reveals(rules: &[ControlRule]) -> Reveals {
    let partial = rules.iter().filter(|rule| rule.operation == Operation::PartialDetokenize);
    partial.map(Reveals::of_rule).fold(Reveals::default(), Reveals::and)
}

/// What the partial rules of a stored profile show. Rules that cannot be read show nothing: their profile is in quarantine.
fn shown_by(row: &Row) -> Reveals {
    serde_json::from_str::<Vec<_>>(&row.control_rules).map_or_else(|_| Reveals::default(), |rules| reveals(&rules))
}

/// What the partial rules of stored profiles show between them, by the tokens that they show it of.
#[derive(Default)]
pub(super) struct Shared {
    shown: HashMap<(Uuid, Uuid), Reveals>,
}

impl Shared {
    pub(super) fn of(rows: &[Row]) -> Self {
        let mut shared = Self::default();
        rows.iter().for_each(|row| shared.add(row));
        shared
    }

    fn add(&mut self, row: &Row) {
        let shown = self.shown.entry(tokens_of(row)).or_default();
        *shown = shown.and(shown_by(row));
    }

    /// What is shown of this profile's tokens.
    pub(super) fn with(&self, row: &Row) -> Reveals {
        self.shown.get(&tokens_of(row)).copied().unwrap_or_default()
    }

    /// Reads the profiles that share this one's tokens, if they were not.
    pub(super) async fn read(&mut self, tx: &mut Tx, row: &Row) -> Result<()> {
        let (key, domain) = tokens_of(row);
        if !self.shown.contains_key(&(key, domain)) {
            let rows = tables::token_profiles::of_domain(tx, key, domain).await?;
            rows.iter().for_each(|row| self.add(row));
        }
        Ok(())
    }
}

/// To be called before a profile is made or changed: what it may be depends on the others.
pub(super) async fn take_turn(tx: &mut Tx) -> Result<()> {
    Ok(tables::turns::take(tx, "token profiles").await?)
}

/// The other profiles that have the tokens which this one shall have.
pub(super) async fn others(tx: &mut Tx, id: TokenProfileId, spec: &ProfileSpec) -> Result<Vec<Row>> {
    let mut rows = tables::token_profiles::of_domain(tx, spec.key.into(), spec.domain(id).into()).await?;
    rows.retain(|row| row.id != Uuid::from(id));
    Ok(rows)
}

/// What the partial rules of these profiles show between them.
pub(super) fn shown_by_all(rows: &[Row]) -> Reveals {
    rows.iter().map(shown_by).fold(Reveals::default(), Reveals::and)
}

/// Refuses a profile where neither it nor another over its tokens would read all that the other makes. By another format than
/// theirs, partial rules would show more of their tokens than they may. Profiles that were stored before this was checked may
/// differ: what does not change is not checked again.
pub(super) async fn check_reads(
    tx: &mut Tx,
    id: TokenProfileId,
    spec: &ProfileSpec,
    old: Option<&ProfileSpec>,
    others: &[Row],
    limits: &Limits,
) -> Result<()> {
    if let Some(old) = old {
        check_leaves_nothing(tx, id, spec, old, limits).await?;
    }
    let old = old.filter(|old| tokens_by(old, id) == tokens_by(spec, id));
    let shown = |of: &ProfileSpec| reveals(&of.control_rules);
    let same_format =
        old.is_some_and(|old| old.format == spec.format && old.use_iv == spec.use_iv && shown(old) == shown(spec));
    let versions = |of: &ProfileSpec| (of.min_decrypt_version, of.key_version);
    let same_versions = old.is_some_and(|old| versions(old) == versions(spec));
    let shape = Shape::compile(spec.algorithm, &spec.format, limits)?;
    // One that cannot be read is in quarantine.
    for other in others.iter().filter_map(|row| ProfileSpec::from_row(row).ok()) {
        if !same_format
            && let Some(field) = orphaned(spec, &other, limits)?
            && let Some(back) = orphaned(&other, spec, limits)?
        {
            // What may differ by itself is not what is wrong where something else is.
            let field = if MAY_DIFFER.contains(&field) && !MAY_DIFFER.contains(&back) { back } else { field };
            let message = format!(
                "The profile {:?} has the same tokens, and neither would read all that the other makes: take this member from \
                 there. One of the two may take other lengths, and more of passThrough.",
                other.name
            );
            return Err(Error::value(field, message));
        }
        let is_silent = is_silent(spec.algorithm, &shape);
        if old.is_none() && is_silent && spec.key_version != other.key_version {
            let message = format!(
                "The profile {:?} has the same tokens, makes them with version {} of the key, and they do not tell it: take \
                 keyVersion from there.",
                other.name, other.key_version
            );
            return Err(Error::value("/keyVersion", message));
        }
        if !same_versions && (spec.algorithm == TokenAlgorithm::Random || is_silent) {
            check_versions(spec, &other, limits)?;
        }
    }
    Ok(())
}

/// What to know when a profile moves to another version of its key before those that share its tokens. Rows of a vault they read.
pub(super) async fn left_behind(
    tx: &mut Tx,
    id: TokenProfileId,
    old: &ProfileSpec,
    spec: &ProfileSpec,
    limits: &Limits,
) -> Result<Option<String>> {
    if old.key_version == spec.key_version || spec.algorithm == TokenAlgorithm::Random {
        return Ok(None);
    }
    let others = others(tx, id, spec).await?;
    let others = others.iter().filter_map(|row| ProfileSpec::from_row(row).ok());
    let behind: Vec<_> =
        others.filter(|other| other.key_version < spec.key_version).map(|other| format!("{:?}", other.name)).collect();
    let shape = Shape::compile(spec.algorithm, &spec.format, limits)?;
    let what = match is_silent(spec.algorithm, &shape) {
        true => "read what it makes from now on as other, plausible messages",
        false => "refuse what it makes from now on",
    };
    let names = behind.join(", ");
    Ok((!behind.is_empty()).then(|| {
        format!("Profiles with the same tokens {what}, until they have this keyVersion, too: {names}. Change them before tokens are made.")
    }))
}

/// Which tokens the profile with this id makes by what it is to be.
fn tokens_by(spec: &ProfileSpec, id: TokenProfileId) -> (KeyId, TokenProfileId, TokenAlgorithm) {
    (spec.key, spec.domain(id), spec.algorithm)
}

/// Refuses a profile that would no longer read what `old` read of a vault, where nobody else does: those who made the tokens
/// may be gone, and this one may have made none itself.
async fn check_leaves_nothing(
    tx: &mut Tx,
    id: TokenProfileId,
    spec: &ProfileSpec,
    old: &ProfileSpec,
    limits: &Limits,
) -> Result<()> {
    if old.algorithm != TokenAlgorithm::Random {
        return Ok(());
    }
    let leaves = [
        ("/algorithm", old.algorithm != spec.algorithm),
        ("/keyUuid", old.key != spec.key),
        ("/tweakDomain", old.domain(id) != spec.domain(id)),
    ];
    let leaves = leaves.into_iter().find_map(|(member, leaves)| leaves.then_some(member));
    let Some(field) = leaves.map_or_else(|| orphaned(spec, old, limits), |member| Ok(Some(member)))? else {
        return Ok(());
    };
    for other in others(tx, id, old).await?.iter().filter_map(|row| ProfileSpec::from_row(row).ok()) {
        // Or they differed already, from before that was checked.
        if orphaned(&other, old, limits)?.is_none() || orphaned(old, &other, limits)?.is_some() {
            return Ok(());
        }
    }
    if tables::vault_tokens::any_of_domain(tx, old.domain(id).into()).await? {
        let message = "The vault has tokens, maybe of profiles that are gone, which no profile could be left to read; make a \
                       new profile instead.";
        return Err(Error::state(message).at(field));
    }
    Ok(())
}

/// The member that keeps a profile from reading the tokens of another, if one does.
fn orphaned(spec: &ProfileSpec, other: &ProfileSpec, limits: &Limits) -> Result<Option<&'static str>> {
    if spec.use_iv != other.use_iv {
        return Ok(Some("/useIv"));
    }
    let shape = Shape::compile(spec.algorithm, &spec.format, limits)?;
    // One that does not compile is in quarantine.
    let other = Shape::compile(other.algorithm, &other.format, limits).ok();
    Ok(other.and_then(|other| shape.orphans_tokens_of(&other)))
}

/// In a vault a message has one row, so each profile meets the rows of all; and tokens that do not tell their version would read
/// as other messages. Newer versions are not asked for: profiles move to them one after the other.
fn check_versions(spec: &ProfileSpec, other: &ProfileSpec, limits: &Limits) -> Result<()> {
    let ProfileSpec { name, key_version: made, min_decrypt_version: oldest, .. } = other;
    if spec.min_decrypt_version > *made {
        let message = format!(
            "The profile {name:?} has the same tokens, and makes them with version {made} of the key: minDecryptVersion is \
             at most that."
        );
        return Err(Error::value("/minDecryptVersion", message));
    }
    if spec.key_version < *oldest {
        let message = format!(
            "The profile {name:?} has the same tokens, and reads those of the key versions from {oldest} on: keyVersion is \
             at least that."
        );
        return Err(Error::value("/keyVersion", message));
    }
    if spec.key_version - oldest >= limits.profile_versions_max {
        let message = format!(
            "The profile {name:?} has the same tokens, and reads {} versions of the key from {oldest} on, as many as one can: \
             raise its minDecryptVersion first.",
            limits.profile_versions_max
        );
        return Err(Error::value("/keyVersion", message));
    }
    Ok(())
}
