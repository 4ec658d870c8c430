//! Whether somebody who logs in is who they say: by a password, or by an API key.

use chancery_store::{
    Tx, name_key,
    tables::{self, identities::Row},
};
use chancery_types::{
    AuthType, IdentityId,
    wire::{
        audit::{AuditApiKey, LoginWay},
        login::LoginRequest,
    },
};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    RefusedKey, RequestInfo,
    api_key::{Key, KeyHash},
    password,
    sign_in::SigningIn,
};
use crate::{Chancery, Error, Result, Source, audit::Nobody, pool::Party};

/// Who says to be whom, and the proof.
pub(super) enum Proof {
    Password { name_key: String, password: Zeroizing<Vec<u8>> },
    ApiKey { hash: KeyHash },
}

/// An identity whose proof was right.
pub(super) struct Proved {
    pub(super) row: Row,
    /// As the audit records name it.
    pub(super) login: LoginWay,
}

impl Chancery {
    pub(super) fn proof(&self, request: LoginRequest) -> Result<Proof> {
        let credentials = request.auth_credentials;
        let missing = |member: &str| {
            let message = format!("authType {} needs this member.", request.auth_type);
            Error::malformed(format!("/authCredentials/{member}"), message)
        };
        match request.auth_type {
            AuthType::Userpass => {
                let name = credentials.username.ok_or_else(|| missing("username"))?;
                let password = credentials.password.ok_or_else(|| missing("password"))?;
                Ok(Proof::Password { name_key: name_key(&name), password: Zeroizing::new(password.0) })
            }
            AuthType::Apikey => {
                let api_key = Zeroizing::new(credentials.api_key.ok_or_else(|| missing("apiKey"))?);
                Ok(Proof::ApiKey { hash: self.api_key_hash(&api_key) })
            }
        }
    }

    /// The identity, if the proof is right and it may log in now; else who was refused. Unknown, wrong, locked and delayed
    /// take the same time: there is always one look into the store, and one Argon2 run for a password.
    pub(super) async fn prove(&self, proof: &Proof, request: &RequestInfo) -> Result<Result<Proved, Nobody>> {
        match proof {
            Proof::ApiKey { hash } => self.prove_by_key(*hash, request).await,
            Proof::Password { name_key, password } => {
                let row = self.named(name_key).await?;
                match self.check_password(row, password.clone(), request.counted_as()).await? {
                    Some(row) => Ok(Ok(Proved { row, login: LoginWay::password() })),
                    None => Ok(Err(self.refused_login(name_key).await?)),
                }
            }
        }
    }

    /// Looks the key up in the store, so that one which another node has just made is known.
    async fn prove_by_key(&self, hash: KeyHash, request: &RequestInfo) -> Result<Result<Proved, Nobody>> {
        let read = self.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move {
                let row = tables::api_keys::by_hash(tx, &hash).await?;
                // Asked also where there is no such key, so that the answer takes the same time.
                let whose = row.as_ref().map_or(Uuid::nil(), |row| row.identity_id);
                let identity = tables::identities::by_id(tx, whose).await?;
                Ok::<_, Error>(row.zip(identity))
            })
        });
        let Some((row, identity)) = read.await? else { return Ok(Err(Nobody::Unknown)) };
        let key = Key::of(&row)?;
        let Some(version) = key.version_of(&hash) else { return Ok(Err(Nobody::Unknown)) };
        let now = self.clock.now_ms();
        let terms = key.terms(version).ok_or(RefusedKey::Expired);
        let admitted = match terms.and_then(|terms| terms.check(request.source, now).map(|()| terms)) {
            Ok(_) if identity.locked => Err(RefusedKey::Identity),
            admitted => admitted,
        };
        match admitted {
            Ok(terms) => {
                self.identity.key_uses.note(&terms, now);
                Ok(Ok(Proved { row: identity, login: LoginWay::api_key(key.recorded(version)) }))
            }
            Err(why) => Ok(Err(Nobody::Key(key.identity, identity.name, key.recorded(version), why))),
        }
    }

    /// Whom a refused login was for: asked the same way for every name, so that the answer takes the same time.
    async fn refused_login(&self, name_key: &str) -> Result<Nobody> {
        let hash = self.custodian.keyed_hash("login name", name_key.as_bytes());
        let row = self.named(name_key).await?;
        Ok(row.map_or(Nobody::Name(hash), |row| Nobody::Unproved(row.id.into(), row.name)))
    }

    async fn named(&self, name_key: &str) -> Result<Option<Row>> {
        // What cannot be a name is nobody's name; the store would refuse to look for a NUL.
        let name_key = if name_key.contains('\0') { String::new() } else { name_key.to_owned() };
        let read = self.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move { tables::identities::by_name(tx, &name_key).await })
        });
        read.await.map_err(Error::from)
    }

    async fn check_password(
        &self,
        row: Option<Row>,
        password: Zeroizing<Vec<u8>>,
        source: Source,
    ) -> Result<Option<Row>> {
        let delayed = |id: IdentityId| self.identity.delays().delayed(id, source, self.clock.now_ms());
        let admissible = row.filter(|row| !row.locked && row.password.is_some() && !delayed(row.id.into()));
        let hash = admissible.as_ref().and_then(|row| row.password.clone());
        let check = move || password::verify(&password, hash.as_deref());
        let right = self.passwords.run_for(Party::Source(source), check).await??;
        let Some(row) = admissible else { return Ok(None) };
        let id = row.id.into();
        if !right {
            self.identity.delays().wrong(id, source, self.clock.now_ms());
            return Ok(None);
        }
        // Asked again: others may have guessed wrong while this was being checked, and a guess among many that run
        // side by side must not slip through.
        if delayed(id) {
            return Ok(None);
        }
        self.identity.delays().right(id, source);
        Ok(Some(row))
    }
}

/// Whether a key still has the secret that was shown: it may have been deleted or rotated meanwhile.
pub(super) async fn is_still_there(tx: &mut Tx, identity: Uuid, key: &AuditApiKey) -> Result<bool> {
    let Some(row) = tables::api_keys::by_id(tx, identity, key.uuid.into()).await? else { return Ok(false) };
    Ok(Key::of(&row)?.terms(key.version).is_some())
}
