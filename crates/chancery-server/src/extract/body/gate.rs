//! Whether a caller may make a call at all, asked before more than [`SMALL`] bytes of its body are taken.
//!
//! Smaller bodies are read first, so that what is wrong with them is found in the order that the interface promises. A
//! larger one costs memory, disk and time, which nobody has who is refused in the end.

use axum::{
    extract::MatchedPath,
    http::{HeaderMap, Method, header, request::Parts},
};
use chancery_core::{Caller, Demand, Error, RuleCall};
use chancery_types::{IdentityId, TokenProfileId};

use super::{SMALL, demand};
use crate::app::App;

/// Whose body it is, and what for.
#[derive(Clone, Copy)]
pub(crate) enum Gate<'a> {
    /// A single value, on the way round the router.
    Value(&'a Caller, RuleCall, TokenProfileId),
    /// Everything else; the caller is in the request's extensions.
    Route(&'a Parts),
}

impl Gate<'_> {
    /// Refuses whoever may not make this call; otherwise says whose share the body is of.
    pub(super) async fn open(self, app: &App) -> Result<IdentityId, Error> {
        let (caller, demand) = match self {
            Self::Value(caller, call, profile) => (caller, Demand::Rules(call, profile)),
            Self::Route(head) => {
                let declared = head.extensions.get::<Caller>().zip(demanded(head));
                declared.ok_or_else(|| super::too_large(SMALL))?
            }
        };
        app.tokens.admit_call(caller, demand).await?;
        // A caller has at least one member; all of its members are held by the same share.
        Ok(caller.members().first().map_or(IdentityId::from_u128(0), |member| member.id))
    }
}

/// Keeps the caller for the body, where that may be a large one.
pub(in crate::extract) fn keep_caller(parts: &mut Parts, caller: &Caller) {
    let has_body = parts.method != Method::GET && parts.method != Method::HEAD;
    if has_body && announced(&parts.headers).is_none_or(|bytes| bytes > SMALL as u64) {
        parts.extensions.insert(caller.clone());
    }
}

/// The size that a request announces.
pub(super) fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn demanded(head: &Parts) -> Option<Demand> {
    let path = head.extensions.get::<MatchedPath>()?.as_str();
    demand::of(&head.method, path, head.uri.path())
}
