//! Door methods for single tokens of a vault: what is kept beside the message, whether a message has a token, and
//! removing one.

use std::sync::Arc;

use chancery_store::tables::vault_tokens::{self, Row};
use chancery_types::{
    Action, Perm, TokenProfileId,
    wire::token_profiles::{TokenRecord, TokenRequest, TokenizedRequest, TokenizedResponse},
};
use serde_json::json;

use super::{
    super::{engine::TokenSource, manage::load, profile::Profile, refusal::BadValue},
    Vault,
    entry::Entry,
    lives, unreadable,
};
use crate::{
    Caller, Error, Event, Result, Tokens,
    time::rfc3339_ms,
    tokenization::{
        Noted,
        rules::{Call, DetokenizeGrant},
    },
};

const TOKEN: &str = "/token";

impl Tokens {
    /// What is kept beside the message of a token. Needs a rule for all of Detokenize.
    pub async fn read_token(&self, caller: &Caller, id: TokenProfileId, request: TokenRequest) -> Result<TokenRecord> {
        let now = self.context.detokenizes_now()?;
        let mut noted = Noted::of(Action::TokenRead, 1);
        let answer = async {
            let (profile, grant) = self.asks_to_detokenize(&now, caller, id, Call::Vault)?;
            noted.tagged(self.tag(&profile, &request.token)?);
            let grant = grant?;
            let vault = vault_of(&profile)?;
            let hash = vault.find_by(&request.token).map_err(|bad| bad.error(TOKEN))?;
            let grant = self.charge(caller, &profile, grant, 1, TOKEN).await?;
            let row = self.live_rows(&grant, vec![hash]).await?.remove(&hash);
            let row = row.ok_or_else(|| BadValue::NotInVault.error(TOKEN))?;
            vault.record(&grant, &row)
        };
        let answer = answer.await;
        self.record_call(caller, id, noted, answer).await
    }

    /// Whether a message has a token. Needs a rule for all of Detokenize, since asking for one message after the other
    /// finds that of a token.
    pub async fn tokenized(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: TokenizedRequest,
    ) -> Result<TokenizedResponse> {
        let now = self.context.detokenizes_now()?;
        let answer = async {
            let (profile, grant) = self.may_detokenize(&now, caller, id, Call::Vault)?;
            let vault = vault_of(&profile)?;
            let hash = vault.find_message_by(&request.message)?;
            let grant = self.charge(caller, &profile, grant, 1, "/message").await?;
            let rows = self.context.storage.read(&grant, move |tx| {
                Box::pin(async move { Ok::<_, Error>(vault_tokens::by_messages(tx, &[hash]).await?) })
            });
            let now_ms = self.context.clock.now_ms();
            Ok(TokenizedResponse { tokenized: rows.await?.iter().any(|row| lives(row, now_ms)) })
        };
        let answer = answer.await;
        self.record_call(caller, id, Noted::of(Action::TokenizedRead, 1), answer).await
    }

    /// Removes a token and its message for good. Needs Tokenization:Manage.
    pub async fn delete_token(&self, caller: &Caller, id: TokenProfileId, request: TokenRequest) -> Result<()> {
        let action = Action::TokenDelete;
        let grant = self.context.grant(caller, Perm::TokenizationManage, action, Some(id.into())).await?;
        let profile = self.token_profiles.find(id)?;
        let hash = vault_of(&profile)?.find_by(&request.token).map_err(|bad| bad.error(TOKEN))?;
        let now_ms = self.context.clock.now_ms();
        let event = Event::new(action).on(uuid::Uuid::from(id)).detail(json!({"tokenHash": hex::encode(hash)}));
        let (event, told) = event.told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    told.members([("name", json!(load(tx, id).await?.name))])?;
                    let deleted = vault_tokens::delete(tx, &hash, now_ms).await?;
                    if deleted { Ok(()) } else { Err(BadValue::NotInVault.error(TOKEN)) }
                })
            })
            .await
    }
}

/// What only Random profiles have.
fn vault_of(profile: &Profile) -> Result<&Arc<Vault>> {
    match &profile.tokens {
        TokenSource::Vault(vault) => Ok(vault),
        TokenSource::Cipher(_) => {
            Err(Error::state("Only Random profiles keep their tokens; this profile has another algorithm."))
        }
    }
}

impl Vault {
    fn record(&self, _grant: &DetokenizeGrant, row: &Row) -> Result<TokenRecord> {
        let content = self.open(row, None).map_err(|bad| bad.error(TOKEN))?;
        let entry = Entry::decode(&content).ok_or_else(|| unreadable(row, &"it has no entry").error(TOKEN))?;
        let metadata = match entry.metadata {
            "" => None,
            metadata => Some(serde_json::from_str(metadata).map_err(Error::internal)?),
        };
        Ok(TokenRecord {
            metadata,
            created_at: rfc3339_ms(row.created_at_ms),
            expires_at: row.expires_at_ms.map(rfc3339_ms),
            key_version: row.key_version,
        })
    }

    /// What the token of a message is found by.
    fn find_message_by(&self, message: &str) -> Result<vault_tokens::Hash> {
        if !self.deterministic {
            return Err(Error::state(
                "The profile is not deterministic: it keeps nothing by which messages could be found.",
            ));
        }
        self.values.check_message(message).map_err(|bad| bad.error("/message"))?;
        Ok(self.index.message(&self.values.plain(message)))
    }
}
