//! Trying a token profile out: its tokens for some samples, under a key that is made for the call and thrown away.
//!
//! Samples may be real data. They are in no log, no audit record and no error, and nothing of a preview is stored.

use std::sync::Arc;

use chancery_keys::{AesSize, DataKey, KeyRef, KeySpec, Purpose, random};
use chancery_types::{
    Action, KeyId, Perm, TokenAlgorithm, TokenProfileId,
    wire::token_profiles::{CreateTokenProfile, DraftTokenProfile, NameOnly, PreviewAnswer, PreviewRequest},
};

use super::{
    batch,
    engine::{Iv, Values, cipher},
    spec::ProfileSpec,
    vault::Vault,
    versions::Versions,
};
use crate::{Caller, Error, Result, Tokens, tokenization::rules::TokenizeGrant};

/// The only version of a key that is thrown away.
const VERSION: u32 = 1;

impl Tokens {
    /// Tokenizes samples as a profile of this kind would, though to other tokens.
    pub async fn preview_token_profile(&self, caller: &Caller, request: PreviewRequest) -> Result<PreviewAnswer> {
        let grant = self.context.grant(caller, Perm::TokenizationManage, Action::TokenProfilePreview, None).await?;
        self.check_preview_rate(caller)?;
        let PreviewRequest { profile, samples } = request;
        if samples.len() > self.context.limits.preview_samples_max {
            let message = format!("A preview has at most {} samples.", self.context.limits.preview_samples_max);
            return Err(Error::too_large("/samples", message));
        }
        let in_profile = |error: Error| error.under("/profile");
        let spec = ProfileSpec::new(create(profile), VERSION, &self.context.limits).map_err(in_profile)?;
        let shape = spec.check(&self.context.limits).map_err(in_profile)?;
        let keys = Versions::new(VERSION, vec![Arc::new(self.throw_away_key(spec.algorithm)?)])?;
        let domain = TokenProfileId::from_random(random());
        let grant = TokenizeGrant::for_preview(&grant);
        let (outcome, ivs) = if spec.algorithm == TokenAlgorithm::Random {
            let tokens = (spec.deterministic == Some(true), None);
            let vault = Vault::new(shape, domain, (spec.key, &keys), tokens, &self.context.custodian)?;
            (vault.samples(&grant, &samples)?, None)
        } else {
            let cipher = cipher(spec.algorithm, shape, domain, &keys)?;
            let ivs: Vec<Iv> =
                spec.iv_kind().map_or_else(Vec::new, |kind| samples.iter().map(|_| kind.draw()).collect());
            let outcome = cipher.make(&grant, Values::all(&samples), &ivs)?;
            let ivs = spec.iv_kind().map(|_| batch::ivs_of(&outcome, &ivs));
            (outcome, ivs)
        };
        let errors = outcome.settle("/samples", true, &self.context.limits)?;
        let format = spec.format.clone();
        let security = spec.into_wire(domain, &self.context.limits)?.security;
        Ok(PreviewAnswer { tokens: outcome.texts, ivs, errors, format, security })
    }

    fn check_preview_rate(&self, caller: &Caller) -> Result<()> {
        let now = self.context.clock.now_ms();
        let mut rate = self.previews.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for member in caller.members() {
            rate.attempt(member.id, now, self.context.limits.previews_per_minute)
                .map_err(|after_s| Error::busy("Too many previews in a minute; try again.", after_s))?;
        }
        Ok(())
    }

    /// A new key that is opened and stored nowhere.
    fn throw_away_key(&self, algorithm: TokenAlgorithm) -> Result<DataKey> {
        let spec = match algorithm {
            TokenAlgorithm::Ff1 | TokenAlgorithm::Random | TokenAlgorithm::AesSiv | TokenAlgorithm::AesGcm => {
                KeySpec::Aes(AesSize::Bits256)
            }
            TokenAlgorithm::Hmac => KeySpec::Hmac256,
        };
        let key = KeyRef { id: KeyId::from_random(random()), version: VERSION, purpose: Purpose::Data, spec };
        let made = self.context.custodian.generate(key).map_err(Error::internal)?;
        Ok(self.context.custodian.open_data_key(&made.sealed)?)
    }
}

/// The draft as if it were to be made.
fn create(draft: DraftTokenProfile) -> CreateTokenProfile {
    let DraftTokenProfile { algorithm, format, use_iv, deterministic, time_to_live, control_rules } = draft;
    CreateTokenProfile {
        obj_info: NameOnly { name: "preview".into() },
        algorithm,
        key_uuid: KeyId::from_random(random()),
        key_version: None,
        min_decrypt_version: None,
        tweak_domain: None,
        format,
        use_iv,
        deterministic,
        time_to_live,
        durability: None,
        control_rules,
    }
}
