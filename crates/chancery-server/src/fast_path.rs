//! The calls that come by the ten thousand a second: a single value to tokenize or to detokenize.
//!
//! The way through a router to a handler costs more than such a call does. These are told by their path and answered by
//! the same steps, in the same order, without it; whatever is not plainly one of them takes the usual way. Without this a
//! call takes 11 % more processor time (decision 0158).

use std::pin::pin;

use axum::{
    BoxError,
    body::{Bytes, HttpBody},
    http::{Method, request::Parts},
    response::{IntoResponse, Response},
};
use chancery_core::{RequestInfo, RuleCall};
use chancery_types::TokenProfileId;

use crate::{
    answer::{Failure, success},
    app::App,
    credentials, decode,
    extract::{Gate, receive},
    middleware::{Exchange, Peer},
};

/// The path before the profile's id, and the routes as the router has them.
const PROFILES: &str = "/api/v2/token-profiles/";
/// Characters of an id as it is usually written.
const ID_LEN: usize = 36;
const TOKENIZE: &str = "/api/v2/token-profiles/{uuid}/tokenize";
const DETOKENIZE: &str = "/api/v2/token-profiles/{uuid}/detokenize";

/// A call with a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Single {
    profile: TokenProfileId,
    verb: Verb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Tokenize,
    Detokenize,
}

impl Single {
    /// Which one a request is.
    pub(crate) fn of(head: &Parts) -> Option<Self> {
        if head.method != Method::POST {
            return None;
        }
        let (profile, verb) = head.uri.path().strip_prefix(PROFILES)?.split_at_checked(ID_LEN)?;
        let verb = match verb {
            "/tokenize" => Verb::Tokenize,
            "/detokenize" => Verb::Detokenize,
            _ => return None,
        };
        Some(Self { profile: profile.parse().ok()?, verb })
    }

    /// Under which name it is counted.
    pub(crate) const fn route(self) -> &'static str {
        match self.verb {
            Verb::Tokenize => TOKENIZE,
            Verb::Detokenize => DETOKENIZE,
        }
    }

    /// Answers it.
    pub(crate) async fn answer<B>(self, app: &App, head: &Parts, body: &mut B, peer: &Peer) -> Response
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: Into<BoxError>,
    {
        let mut exchange = Exchange::begin(&head.method, peer.source);
        let info = exchange.info;
        let answer = {
            let answer = pin!(async {
                let answer = self.run(app, (info, peer), head, body).await;
                answer.unwrap_or_else(IntoResponse::into_response)
            });
            exchange.run(answer).await
        };
        exchange.finish(answer, head.uri.path(), self.route())
    }

    /// Who calls, then the body, then the call.
    async fn run<B>(
        self,
        app: &App,
        (info, peer): (RequestInfo, &Peer),
        head: &Parts,
        body: &mut B,
    ) -> Result<Response, Failure>
    where
        B: HttpBody<Data = Bytes> + Unpin,
        B::Error: Into<BoxError>,
    {
        let caller = app.identities.authenticate(info, credentials::of(head)?).await?;
        peer.is_known();
        let max = app.limits().body_max;
        match self.verb {
            Verb::Tokenize => {
                let gate = Gate::Value(&caller, RuleCall::Tokenize, self.profile);
                let (request, _room) = receive((&head.headers, body), app, gate, (max, b""), decode::decode).await?;
                Ok(success(app.tokens.tokenize(&caller, self.profile, request).await?).into_response())
            }
            Verb::Detokenize => {
                let gate = Gate::Value(&caller, RuleCall::Detokenize, self.profile);
                let (request, _room) = receive((&head.headers, body), app, gate, (max, b""), decode::decode).await?;
                Ok(success(app.tokens.detokenize(&caller, self.profile, request).await?).into_response())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    const ID: &str = "00000000-0000-0000-0000-0000000000aa";

    fn single(method: &str, path: &str) -> Option<Single> {
        Single::of(&Request::builder().method(method).uri(path).body(()).unwrap().into_parts().0)
    }

    #[test]
    fn what_is_not_plainly_one_takes_the_usual_way() {
        for (verb, route) in [("tokenize", TOKENIZE), ("detokenize", DETOKENIZE)] {
            let single = single("POST", &format!("{PROFILES}{ID}/{verb}?a=b")).unwrap();
            assert_eq!((single.profile, single.route()), (ID.parse().unwrap(), route));
        }
        for (method, path) in [
            ("GET", format!("{PROFILES}{ID}/tokenize")),
            ("POST", format!("{PROFILES}{ID}/tokenize/")),
            ("POST", format!("{PROFILES}{ID}/batch-tokenize")),
            ("POST", format!("{PROFILES}%30{}/tokenize", &ID[1..])),
            ("POST", format!("{PROFILES}no-id/tokenize")),
            ("POST", format!("{PROFILES}{ID}")),
            ("POST", format!("/{PROFILES}{ID}/tokenize")),
        ] {
            assert_eq!(single(method, &path), None, "{method} {path}");
        }
    }
}
