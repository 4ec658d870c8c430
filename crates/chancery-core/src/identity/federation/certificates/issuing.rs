//! Whom certificates that are issued here would log in. Where one of this installation's authorities is trusted with logins,
//! to issue is as good as to bind: whoever asks for the certificate holds as much as whom it stands for.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{Action, IdentityKind};
use uuid::Uuid;

use super::{super::stored::BindingContent, names::CertificateNames};
use crate::{
    Caller, Error, Meaning, Result,
    context::Context,
    identity::{
        identities::{check_holds_as_much, kind_of},
        passkeys::check_has_shown_passkey,
    },
};

/// Who asked for a certificate.
#[derive(Clone)]
pub(crate) enum AskedBy {
    /// Whoever calls, and what knows which factors have to be fresh.
    Caller(Caller, Arc<Context>),
    /// Somebody who was looked at when they proposed it, at this time in milliseconds since 1970 UTC.
    ProposedAt(i64),
}

/// Refuses a certificate by which its holder could log in as somebody who holds more than whoever asks for it, by one of
/// these authorities.
pub(crate) async fn check_stands_for(
    tx: &mut Tx,
    names: &CertificateNames,
    authorities: &[String],
    asked_by: &AskedBy,
) -> Result<()> {
    for authority in authorities {
        let Some(provider) = tables::identity_providers::by_issuer(tx, authority).await? else { continue };
        for binding in tables::identity_bindings::all_of_provider(tx, provider.id).await? {
            if !BindingContent::of(&binding)?.takes_certificate(names) {
                continue;
            }
            match asked_by {
                AskedBy::Caller(caller, context) => {
                    check_may_stand_for(tx, caller, binding.identity_id, context).await?;
                }
                AskedBy::ProposedAt(at_ms) if binding.created_at_ms > *at_ms => {
                    let message = "Somebody was bound to these names since it was asked for: it would log them in.";
                    return Err(Error::state(message));
                }
                AskedBy::ProposedAt(_) => {}
            }
        }
    }
    Ok(())
}

async fn check_may_stand_for(tx: &mut Tx, caller: &Caller, identity: Uuid, context: &Context) -> Result<()> {
    let Some(row) = tables::identities::by_id(tx, identity).await? else { return Ok(()) };
    // A key or a token has an end and bounds that a certificate has not.
    let is_own = matches!(caller.members(), [own] if Uuid::from(own.id) == identity);
    if is_own && !caller.is_of_a_program() {
        // It outlasts the session, as an API key of one's own does.
        check_has_shown_passkey(tx, caller, identity, context.freshness()).await?;
    } else {
        check_holds_as_much(tx, caller, identity).await.map_err(|refusal| {
            if refusal.meaning() != Meaning::Forbidden {
                return refusal;
            }
            let why = refusal.to_string();
            Error::forbidden(format!(
                "A certificate of these names logs in as {}: who asks for it holds as much. {why}",
                row.name
            ))
        })?;
    }
    // An application that renews its own has no second factor, and is not held up; but a provider's token that was exchanged
    // lasts ten minutes, and the certificate a year.
    let is_by_exchange = caller.is_of_a_program() && !caller.has_key();
    if is_own && kind_of(&row)? == IdentityKind::Application && !is_by_exchange {
        return Ok(());
    }
    // It is a way in, as a key is.
    context.check_fresh_factor_for(caller, Action::ApiKeyCreate)
}
