//! Vaulted tokens: random ones of the profile's format, whose messages the store keeps under seal.
//!
//! `Vault` is what a compiled profile knows; `entry` is what a row seals. `place` leads from messages to tokens, with the
//! help of `choose` and `draw`, and `find` back, for any number of values; `rewrap` seals rows
//! anew; `calls` has the door methods for single tokens, and `tidy`
//! removes what nobody can read any more.

mod attributes;
mod calls;
mod choose;
mod draw;
mod entry;
mod find;
#[cfg(test)]
mod measure;
mod place;
mod rewrap;

#[cfg(test)]
mod tests;
mod tidy;

use std::{borrow::Cow, sync::Arc};

use chancery_keys::{Custodian, DataKey, VaultIndex, VaultSeal};
use chancery_store::tables::vault_tokens::Row;
use chancery_types::{
    KeyId, TokenProfileId,
    wire::{Texts, x509::ValidityPeriod},
};
use chancery_x509::validity::{Period, Validity};
use tracing::error;
use zeroize::Zeroizing;

use self::draw::Values;
use super::{
    batch,
    engine::Engine,
    refusal::BadValue,
    shape::Shape,
    versions::{VersionNumbers, Versions},
};
use crate::{Error, Result};

pub(crate) use attributes::Attributes;

/// What the tokens of a Random profile are made and found with.
pub(crate) struct Vault {
    values: Values,
    domain: TokenProfileId,
    index: VaultIndex,
    seals: Versions<VaultSeal>,
    deterministic: bool,
    life: Option<Period>,
}

impl Vault {
    /// The vault of `domain`, as far as it belongs to this key.
    pub(crate) fn new(
        shape: Shape,
        domain: TokenProfileId,
        (key, keys): (KeyId, &Versions<Arc<DataKey>>),
        (deterministic, life): (bool, Option<Period>),
        custodian: &Custodian,
    ) -> Result<Self> {
        let index = custodian.vault_index(domain.as_bytes(), key).map_err(Error::internal)?;
        let seals = keys.try_map(|key| key.vault_seal(domain.as_bytes()).map_err(Error::internal))?;
        let values = match shape {
            Shape::Symbols(format) => Values::Symbols(format),
            Shape::Pattern(pattern) => Values::Pattern(pattern),
            Shape::Text(_) => return Err(Error::internal("a format of texts for Random")),
        };
        Ok(Self { values, domain, index, seals, deterministic, life })
    }

    /// Opens a row that has not expired.
    fn open(&self, row: &Row, version: Option<u32>) -> Result<Zeroizing<Vec<u8>>, BadValue> {
        if row.key_version == 0 || row.key_version > self.seals.last() {
            return Err(unreadable(row, &"its key version is none of the key's"));
        }
        let seal = self.seals.told(row.key_version, version)?;
        seal.open(&row.token_hash, &row.sealed).map_err(|failure| unreadable(row, &failure))
    }
}

impl Engine for Vault {
    fn work(&self, values: &Texts) -> usize {
        batch::work(values, |bytes| 600 + bytes)
    }

    fn is_decimal(&self) -> bool {
        self.values.is_decimal()
    }

    fn passes_through(&self) -> bool {
        true
    }

    fn plain<'t>(&self, token: &'t str) -> Cow<'t, str> {
        self.values.plain(token)
    }

    fn is_one_way(&self) -> bool {
        false
    }

    fn versions(&self) -> VersionNumbers {
        self.seals.numbers()
    }

    fn tells_version(&self) -> bool {
        true
    }

    /// None: a deterministic profile may give out a token that an older version seals.
    fn version_to_tell(&self) -> Option<u32> {
        None
    }
}

/// The refusal of a token whose row was damaged or altered: of this one alone, and told in the log.
fn unreadable(row: &Row, why: &dyn std::fmt::Display) -> BadValue {
    error!(token_hash = hex::encode(row.token_hash), error = %why, "a row of the vault cannot be read");
    BadValue::Unreadable
}

/// Whether a row is still there for callers.
const fn lives(row: &Row, now_ms: i64) -> bool {
    match row.expires_at_ms {
        None => true,
        Some(end_ms) => now_ms < end_ms,
    }
}

/// The profile member `timeToLive`.
pub(crate) fn parse_life(life: &ValidityPeriod) -> Result<Period> {
    /// 2100-01-01: a life that does not end after the year 9999 from then does not before.
    const LATE_MS: i64 = 4_102_444_800_000;
    let wrong = |message: &'static str| Error::value("/timeToLive/amount", message);
    let period = Period::parse(&life.amount, life.unit);
    let period = period.map_err(|_| wrong("amount is a positive whole number in decimal digits."))?;
    let lasts = Validity::starting(LATE_MS, period);
    lasts.map_err(|_| wrong("A token lives for a second at least and not beyond the year 9999."))?;
    Ok(period)
}

/// When a life that begins now ends.
fn end_ms(now_ms: i64, life: Period) -> Result<i64> {
    let validity = Validity::starting(now_ms, life).map_err(Error::internal)?;
    Ok(validity.not_after_s() * 1_000 + now_ms.rem_euclid(1_000))
}
