//! Passkeys between the store and the interface.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::SignCount;
use chancery_store::{
    Tx,
    tables::{self, passkeys::Row},
};
use chancery_types::{
    Base64, IdentityId, PasskeyId,
    wire::{
        ObjInfo,
        passkeys::{CredentialDescriptor, Passkey},
    },
};
use uuid::Uuid;

use crate::{
    Error, Limits, Result, base::clock::ms, identity::identities::existing, log::leaf::sha256, time::rfc3339_ms,
};

/// As the interface shows it.
pub(super) fn shown(row: &Row, limits: &Limits) -> Result<Passkey> {
    let confirmed_by = row.confirmed_by.as_deref().map(serde_json::from_str::<Vec<ObjInfo<IdentityId>>>).transpose();
    let until = row.confirmed_at_ms.is_none().then(|| confirm_until_ms(row, limits));
    Ok(Passkey {
        obj_info: ObjInfo { name: row.name.clone(), uuid: row.id.into() },
        identity_uuid: row.identity_id.into(),
        rp_id: row.rp_id.clone(),
        public_key: Base64(row.public_key.clone()),
        public_key_sha256: Base64(sha256(&row.public_key).to_vec()),
        synced: row.is_backup_eligible,
        created_at: rfc3339_ms(row.created_at_ms),
        confirmed_at: row.confirmed_at_ms.map(rfc3339_ms),
        confirmed_by: confirmed_by.map_err(Error::internal)?.unwrap_or_default(),
        confirm_until: until.map(rfc3339_ms),
        last_used_at: row.used_at_ms.map(rfc3339_ms),
    })
}

/// Until when a second person may confirm it.
pub(super) fn confirm_until_ms(row: &Row, limits: &Limits) -> i64 {
    row.created_at_ms.saturating_add(ms(limits.logins.passkey_pending_max))
}

/// Who enrolled it: all identities of one session.
pub(super) fn enrolled_by(row: &Row) -> Result<Vec<IdentityId>> {
    serde_json::from_str(&row.enrolled_by).map_err(Error::internal)
}

/// Bytes as browsers write them.
pub(crate) fn browser_bytes(field: impl Into<String>, text: &str) -> Result<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| Error::malformed(field.into(), "This is base64url without padding."))
}

/// As browsers know it.
pub(crate) fn descriptor(row: &Row) -> CredentialDescriptor {
    CredentialDescriptor { r#type: "public-key".to_owned(), id: URL_SAFE_NO_PAD.encode(&row.credential_id) }
}

/// Notes that a passkey has signed. False where it may not sign any more, or has not counted on since: of two works that bring
/// one signature, on whatever nodes, one is told so.
pub(crate) async fn note_signature(
    tx: &mut Tx,
    (identity, passkey): (Uuid, Uuid),
    public_key: &[u8],
    (count, now_ms): (SignCount, i64),
) -> Result<bool> {
    let noted = tables::passkeys::change(tx, passkey, |row| {
        let is_it = row.identity_id == identity && row.public_key == public_key;
        let before = SignCount(u32::try_from(row.sign_count).unwrap_or(u32::MAX));
        let may_sign = is_it && row.confirmed_at_ms.is_some() && count.follows(before).is_ok();
        if may_sign {
            row.sign_count = count.0.into();
            row.used_at_ms = Some(now_ms);
        }
        may_sign
    });
    Ok(noted.await?)
}

pub(super) async fn stored(tx: &mut Tx, identity: IdentityId, id: PasskeyId) -> Result<Row> {
    existing(tx, identity.into()).await?;
    let row = tables::passkeys::by_id(tx, identity.into(), Uuid::from(id)).await?;
    row.ok_or_else(|| Error::not_found("passkey of this identity"))
}
