//! A new token profile after an existing one: the way to what a used profile may not become.

use chancery_keys::random;
use chancery_types::{
    Action, Perm, TokenProfileId,
    wire::{
        ObjInfo,
        token_profiles::{PatchTokenProfile, TokenProfile},
    },
};
use serde_json::json;

use super::{manage, shared, spec::ProfileSpec};
use crate::{Caller, Error, Result, Tokens, identity::effect};

impl Tokens {
    /// Makes a profile with the members of another, but for what `changes` says. It has a name and tokens of its own,
    /// unless a `tweakDomain` is asked for.
    pub async fn copy_token_profile(
        &self,
        caller: &Caller,
        from: TokenProfileId,
        changes: PatchTokenProfile,
    ) -> Result<TokenProfile> {
        let action = Action::TokenProfileCreate;
        let grant = self.context.grant(caller, Perm::TokenizationManage, action, Some(from.into())).await?;
        let Some(name) = changes.obj_info.as_ref().and_then(|info| info.name.clone()) else {
            return Err(Error::malformed("/objInfo/name", "A copy needs a name of its own."));
        };
        let changes = PatchTokenProfile { tweak_domain: Some(changes.tweak_domain.flatten()), ..changes };
        let id = TokenProfileId::from_random(random());
        let (now_ms, limits) = (self.context.clock.now_ms(), self.context.limits.clone());
        let directory = self.identities.state.directory.load_full();
        let event = manage::profile_event(action, id).detail(json!({"name": name, "copyOf": from}));
        let (event, told) = event.told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    shared::take_turn(tx).await?;
                    let old = ProfileSpec::from_row(&manage::load(tx, from).await?)?;
                    let spec = manage::next(tx, &old, changes, &limits).await?;
                    spec.check(&limits)?;
                    let key = manage::key(tx, &spec).await?;
                    manage::check_references(tx, id, &spec, None, &key, &limits).await?;
                    manage::insert(tx, id, &spec, now_ms).await?;
                    let info = ObjInfo { name, uuid: id };
                    let effect = effect::of_rules(&directory, &info, &[], &spec.control_rules);
                    let made = spec.into_wire(id, &limits)?;
                    told.changed_for(&json!({}), &made, &limits, &effect)?;
                    Ok(made)
                })
            })
            .await
    }
}
