//! What a code is exchanged for at the provider (RFC 6749, section 4.1.3), within bounds: whoever has it exchanged is not known.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use tracing::warn;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    super::{
        claims::TokenRefusal,
        exchange::TOKEN_MAX,
        keys::{DOCUMENT_MAX, Endpoints, Fetched, Form},
        stored::{ClientContent, OurSecret},
    },
    encoded,
    ticket::Ticket,
};
use crate::{
    Error, Identities, Result, Source,
    base::{error::reason, text::percent_encoded},
};

/// Characters of an error's name that the log shows.
const ERROR_MAX: usize = 64;

/// Whom a code is shown to, and by whom.
pub(super) struct Exchange<'a> {
    pub(super) source: Source,
    pub(super) provider: Uuid,
    pub(super) endpoints: &'a Endpoints,
    pub(super) client: &'a ClientContent,
}

impl Identities {
    /// The ID token that a code is good for.
    pub(super) async fn id_token(
        &self,
        exchange: &Exchange<'_>,
        code: &str,
        ticket: &Ticket,
    ) -> Result<Result<Zeroizing<String>, TokenRefusal>> {
        let form = self.form(exchange, code, ticket)?;
        let lane = &self.state.provider_keys.codes;
        let place = lane.place(exchange.source)?;
        let (url, wait) = (exchange.endpoints.token.clone(), self.context.limits.logins.provider_wait_max);
        let asked = match self.state.provider_keys.transport() {
            Ok(transport) => {
                // One byte more, which tells what is too long.
                let job = move || transport.post_form(&url, &form, DOCUMENT_MAX + 1, wait).map_err(|why| reason(&*why));
                place.run(job).await?
            }
            Err(why) => Err(why),
        };
        Ok(read(asked).map_err(|(refusal, why)| {
            warn!(provider = %exchange.provider, url = exchange.endpoints.token, why, "a code was not exchanged");
            refusal
        }))
    }

    /// With the client's secret as RFC 6749, section 2.3.1 has it, or without one as a public client.
    fn form(&self, exchange: &Exchange<'_>, code: &str, ticket: &Ticket) -> Result<Form> {
        let redirect_uri = self.redirect_uri()?;
        let mut pairs = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &redirect_uri),
            ("code_verifier", &ticket.verifier),
        ];
        let client = exchange.client;
        let authorization = match &client.secret {
            Some(sealed) => {
                let secret = self.open_our_secret(OurSecret::Client, exchange.provider, sealed)?;
                let secret = std::str::from_utf8(secret.expose()).map_err(Error::internal)?;
                let both = Zeroizing::new(format!("{}:{}", percent_encoded(&client.id), percent_encoded(secret)));
                Some(Zeroizing::new(format!("Basic {}", *Zeroizing::new(STANDARD.encode(both.as_bytes())))))
            }
            None => {
                pairs.push(("client_id", &client.id));
                None
            }
        };
        Ok(Form { authorization, body: Zeroizing::new(encoded(&pairs)) })
    }
}

/// What a provider answered; where that is no ID token, with words for the log.
fn read(asked: Result<Fetched, String>) -> Result<Zeroizing<String>, (TokenRefusal, String)> {
    /// Everything else, such as an access token, is for others.
    #[derive(Deserialize)]
    struct Answer {
        id_token: Option<String>,
        error: Option<String>,
    }
    let fault = |why: &str| (TokenRefusal::Provider, why.to_owned());
    let Fetched { status, body } = asked.map_err(|why| (TokenRefusal::Provider, why))?;
    let body = Zeroizing::new(body);
    if body.len() > DOCUMENT_MAX {
        return Err(fault("the answer is too long"));
    }
    let answer: Option<Answer> = serde_json::from_slice(&body).ok();
    if status != 200 {
        let name = answer.and_then(|answer| answer.error).unwrap_or_default();
        let is_plain = name.len() <= ERROR_MAX && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let refusal = if name == "invalid_grant" { TokenRefusal::Code } else { TokenRefusal::Provider };
        return Err((refusal, format!("status {status}, {}", if is_plain { &name } else { "an error" })));
    }
    let token = answer.and_then(|answer| answer.id_token).ok_or_else(|| fault("the answer has no ID token"))?;
    if token.len() > TOKEN_MAX {
        return Err(fault("the ID token is too long"));
    }
    Ok(Zeroizing::new(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_id_token_is_taken_from_an_answer() {
        let answer = |status, body: &str| {
            let fetched = Fetched { status, body: body.as_bytes().to_vec() };
            read(Ok(fetched)).map(|token| token.to_string()).map_err(|(refusal, _)| refusal)
        };
        let good = r#"{"access_token": "a", "token_type": "Bearer", "id_token": "x.y.z", "more": [1]}"#;
        assert_eq!(answer(200, good).as_deref(), Ok("x.y.z"));
        for (status, body, why) in [
            (400, r#"{"error": "invalid_grant"}"#, TokenRefusal::Code),
            (400, r#"{"error": "invalid_request"}"#, TokenRefusal::Provider),
            (401, r#"{"error": "invalid_client"}"#, TokenRefusal::Provider),
            (302, good, TokenRefusal::Provider),
            (500, "", TokenRefusal::Provider),
            (200, "", TokenRefusal::Provider),
            (200, "<html>", TokenRefusal::Provider),
            (200, "[]", TokenRefusal::Provider),
            (200, r#"{"access_token": "a"}"#, TokenRefusal::Provider),
            (200, r#"{"id_token": 7}"#, TokenRefusal::Provider),
        ] {
            assert_eq!(answer(status, body), Err(why), "{status} {body}");
        }
        let long = format!(r#"{{"id_token": "{}"}}"#, "x".repeat(TOKEN_MAX + 1));
        assert_eq!(answer(200, &long), Err(TokenRefusal::Provider));
        assert_eq!(answer(200, &" ".repeat(DOCUMENT_MAX + 1)), Err(TokenRefusal::Provider));
        let away = read(Err("connection refused".to_owned())).map(|_| ());
        assert_eq!(away, Err((TokenRefusal::Provider, "connection refused".to_owned())));
    }
}
