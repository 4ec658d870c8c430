//! Profiles that share tokens, those of one key and one tweak domain: what partial rules show of a token counts together,
//! whichever profile it is shown by.

use std::collections::HashMap;

use chancery_store::{
    Tx,
    tables::{self, token_profiles::Row},
};
use chancery_types::{Operation, TokenProfileId, wire::token_profiles::ControlRule};
use uuid::Uuid;

use super::{mask::Reveals, spec::ProfileSpec};
use crate::Result;

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

/// What other profiles show of the tokens that this one shall make.
pub(super) async fn shown_by_others(tx: &mut Tx, id: TokenProfileId, spec: &ProfileSpec) -> Result<Reveals> {
    let rows = tables::token_profiles::of_domain(tx, spec.key.into(), spec.domain(id).into()).await?;
    let others = rows.iter().filter(|row| row.id != Uuid::from(id));
    Ok(others.map(shown_by).fold(Reveals::default(), Reveals::and))
}
