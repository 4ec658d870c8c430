//! Bearer tokens: JWTs that name a session and an end.

use chancery_keys::{BearerKey, Custodian, KeyRef, SealedKey, bearer};
use chancery_store::tables;
use chancery_types::KeyId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Error, Result,
    context::{
        rows::{BEARER, bearer_reference},
        storage::{Opening, Storage},
        up_to_date::LogsInNow,
    },
};

/// What a token says (RFC 7519, section 4): times are seconds since 1970 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Claims {
    sid: Uuid,
    iat: i64,
    exp: i64,
}

/// What a token stands for, if session and clock agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verified {
    pub(super) session: Uuid,
    /// Milliseconds since 1970 UTC.
    pub(super) expires_at: i64,
}

/// The keys, the newest first: it signs, all verify.
pub(super) struct Tokens(Vec<BearerKey>);

impl Tokens {
    /// Opens the installation's keys; makes the first one where there is none.
    pub(super) async fn load(storage: &Storage, opening: &Opening, custodian: &Custodian, now: i64) -> Result<Self> {
        let stored =
            storage.read(opening, |tx| Box::pin(async move { Ok::<_, Error>(tables::bearer_keys::all(tx).await?) }));
        let mut rows = stored.await?;
        if rows.is_empty() {
            rows = Self::first(storage, opening, custodian, now).await?;
        }
        let open = |row: tables::bearer_keys::Row| {
            let sealed = SealedKey::from_parts(reference(row.id.into()), row.sealed);
            Ok(custodian.open_bearer_key(&sealed)?)
        };
        Ok(Self(rows.into_iter().map(open).collect::<Result<_>>()?))
    }

    /// Makes the first one; of two nodes that do so at once, both get what one made.
    async fn first(
        storage: &Storage,
        opening: &Opening,
        custodian: &Custodian,
        now: i64,
    ) -> Result<Vec<tables::bearer_keys::Row>> {
        let id = KeyId::from_random(chancery_keys::random());
        let sealed = custodian.generate(reference(id))?.sealed;
        let first = tables::bearer_keys::Row {
            version: 1,
            id: id.into(),
            sealed: sealed.as_bytes().to_vec(),
            created_at_ms: now,
        };
        let written = storage.background(opening, move |tx| {
            Box::pin(async move {
                tables::bearer_keys::insert_if_absent(tx, &first).await?;
                Ok::<_, Error>(tables::bearer_keys::all(tx).await?)
            })
        });
        written.await
    }

    /// A token for a session. It ends at the whole second before `expires_at`.
    pub(super) fn mint(&self, _now: &LogsInNow, session: Uuid, now: i64, expires_at: i64) -> Result<String> {
        let newest = self.0.first().ok_or_else(|| Error::internal("there is no key for bearer tokens"))?;
        let claims = Claims { sid: session, iat: now.div_euclid(1_000), exp: expires_at.div_euclid(1_000) };
        Ok(newest.sign(&claims)?)
    }

    /// What a token of ours says, unless it has expired. Whether the session lives is the caller's to check.
    pub(super) fn verify(&self, token: &str, now: i64) -> Option<Verified> {
        let claims: Claims = bearer::verify(token, &self.0).ok()?;
        let verified = Verified { session: claims.sid, expires_at: claims.exp.saturating_mul(1_000) };
        (now < verified.expires_at).then_some(verified)
    }
}

const fn reference(id: KeyId) -> KeyRef {
    bearer_reference(id, BEARER)
}
