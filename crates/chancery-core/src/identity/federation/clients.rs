//! As whom this installation is known to a provider: what may be said of that.

use chancery_types::wire::identity_providers::PatchIdentityProvider;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::stored::{ClientContent, OurSecret};
use crate::{Error, Identities, Result};

/// Characters of a client's id, and of its secret.
const ID_MAX: usize = 255;
const SECRET_MAX: usize = 1_024;

/// Values of `acr`, and characters of one.
const ACRS_MAX: usize = 10;
const ACR_MAX: usize = 255;

/// What is asked for of a client, with its secret sealed: what is absent stays as it is.
pub(super) struct ClientChange {
    id: Option<Option<String>>,
    secret: Option<Option<String>>,
    second_factor_acr: Option<Vec<String>>,
}

impl Identities {
    /// What is asked for of the client of this provider.
    pub(super) fn client_change(&self, provider: Uuid, body: &mut PatchIdentityProvider) -> Result<ClientChange> {
        let (id, secret) = (body.client_id.take(), body.client_secret.take());
        let second_factor_acr = body.second_factor_acr.take();
        id.as_ref().and_then(Option::as_deref).map_or(Ok(()), check_id)?;
        second_factor_acr.as_deref().map_or(Ok(()), check_acr)?;
        let sealed = |secret: String| {
            check_secret(&secret)?;
            self.seal_our_secret(OurSecret::Client, provider, &Zeroizing::new(secret))
        };
        let secret = secret.map(|secret| secret.map(sealed).transpose()).transpose()?;
        Ok(ClientChange { id, secret, second_factor_acr })
    }
}

impl ClientChange {
    /// The client with this change. A secret belongs to one id, and goes with it.
    pub(super) fn of(self, old: Option<ClientContent>) -> Result<Option<ClientContent>> {
        let Self { id, secret, second_factor_acr } = self;
        let client = match (id, old) {
            (None, old) => old,
            (Some(None), _) => None,
            (Some(Some(id)), Some(old)) if old.id == id => Some(old),
            (Some(Some(id)), old) => {
                let second_factor_acr = old.map(|old| old.second_factor_acr).unwrap_or_default();
                Some(ClientContent { id, secret: None, second_factor_acr })
            }
        };
        let Some(mut client) = client else {
            return match (secret.flatten(), second_factor_acr.unwrap_or_default().is_empty()) {
                (None, true) => Ok(None),
                (Some(_), _) => Err(without_client("/clientSecret")),
                (None, false) => Err(without_client("/secondFactorAcr")),
            };
        };
        client.secret = secret.unwrap_or(client.secret);
        client.second_factor_acr = second_factor_acr.unwrap_or(client.second_factor_acr);
        Ok(Some(client))
    }
}

fn without_client(field: &str) -> Error {
    Error::value(field, "This is said of a client: clientId is needed with it.")
}

fn check_id(id: &str) -> Result<()> {
    if !id.is_empty() && id.len() <= ID_MAX && id.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Ok(());
    }
    Err(Error::value("/clientId", format!("The id of a client has 1 to {ID_MAX} characters of ASCII.")))
}

fn check_secret(secret: &str) -> Result<()> {
    if !secret.is_empty() && secret.len() <= SECRET_MAX && !secret.chars().any(char::is_control) {
        return Ok(());
    }
    let message = format!("A client's secret has 1 to {SECRET_MAX} bytes, without line feeds.");
    Err(Error::value("/clientSecret", message))
}

fn check_acr(values: &[String]) -> Result<()> {
    if values.len() > ACRS_MAX {
        return Err(Error::value("/secondFactorAcr", format!("A provider has at most {ACRS_MAX} values of acr.")));
    }
    let is_one = |value: &String| {
        !value.is_empty() && value.len() <= ACR_MAX && value.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match values.iter().position(|value| !is_one(value)) {
        None => Ok(()),
        Some(place) => {
            let message = format!("A value of acr has 1 to {ACR_MAX} characters of ASCII, without blanks.");
            Err(Error::value(format!("/secondFactorAcr/{place}"), message))
        }
    }
}

/// Refuses a client that is an audience, too: an ID token of a person would pass as a workload's.
pub(super) fn check_apart(client: Option<&ClientContent>, audiences: &[String]) -> Result<()> {
    match client {
        None if audiences.is_empty() => {
            Err(Error::value("/audiences", "A token is for somebody: at least one audience is needed, or a clientId."))
        }
        Some(client) if audiences.contains(&client.id) => {
            let message = "The client is none of the audiences, which are those of workloads.";
            Err(Error::value("/clientId", message))
        }
        None | Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_what_providers_know() {
        for id in ["kms", "0oa1-b_c.apps.example.org", "a b"] {
            check_id(id).unwrap();
        }
        for id in ["", "\u{e4}", "a\n", &"x".repeat(ID_MAX + 1)] {
            assert_eq!(check_id(id).unwrap_err().field(), Some("/clientId"), "{id}");
        }
        check_secret("p\u{e4}ss w\u{f6}rd~").unwrap();
        for secret in ["", "a\n", &"x".repeat(SECRET_MAX + 1)] {
            assert_eq!(check_secret(secret).unwrap_err().field(), Some("/clientSecret"), "{secret}");
        }
        check_acr(&["urn:mfa".to_owned(), "2".to_owned()]).unwrap();
        assert_eq!(check_acr(&["2".to_owned(), "a b".to_owned()]).unwrap_err().field(), Some("/secondFactorAcr/1"));
        assert_eq!(check_acr(&vec!["2".to_owned(); ACRS_MAX + 1]).unwrap_err().field(), Some("/secondFactorAcr"));
    }

    #[test]
    fn a_secret_goes_with_its_client() {
        let change = |id: Option<Option<&str>>, secret: Option<Option<&str>>, acr: Option<&[&str]>| ClientChange {
            id: id.map(|id| id.map(str::to_owned)),
            secret: secret.map(|secret| secret.map(str::to_owned)),
            second_factor_acr: acr.map(|acr| acr.iter().map(|&value| value.to_owned()).collect()),
        };
        let shown = |client: Option<ClientContent>| {
            client.map(|client| (client.id, client.secret, client.second_factor_acr.join(" ")))
        };
        let of = |id: &str, secret: Option<&str>, acr: &str| {
            Some((id.to_owned(), secret.map(str::to_owned), acr.to_owned()))
        };
        let made = change(Some(Some("a")), Some(Some("s")), Some(&["2"])).of(None).unwrap();
        assert_eq!(shown(made.clone()), of("a", Some("s"), "2"));
        let changed = |id, secret, acr| shown(change(id, secret, acr).of(made.clone()).unwrap());
        assert_eq!(changed(None, None, None), of("a", Some("s"), "2"));
        assert_eq!(changed(Some(Some("a")), None, None), of("a", Some("s"), "2"));
        assert_eq!(changed(Some(Some("b")), None, None), of("b", None, "2"));
        assert_eq!(changed(Some(Some("b")), Some(Some("t")), Some(&[])), of("b", Some("t"), ""));
        assert_eq!(changed(None, Some(None), None), of("a", None, "2"));
        assert_eq!(changed(Some(None), None, None), None);
        for (id, secret, acr, field) in [
            (None, Some(Some("s")), None, "/clientSecret"),
            (Some(None), Some(Some("s")), None, "/clientSecret"),
            (None, None, Some(&["2"][..]), "/secondFactorAcr"),
        ] {
            assert_eq!(change(id, secret, acr).of(None).unwrap_err().field(), Some(field));
        }
        assert_eq!(shown(change(None, Some(None), Some(&[])).of(None).unwrap()), None);
    }

    #[test]
    fn no_client_is_an_audience() {
        let client = ClientContent { id: "kms".to_owned(), secret: None, second_factor_acr: Vec::new() };
        let field = |client, audiences: &[String]| check_apart(client, audiences).err()?.field().map(str::to_owned);
        let (ours, others) = (["kms".to_owned()], ["https://kms.example.org".to_owned()]);
        assert_eq!(field(Some(&client), &others), None);
        assert_eq!(field(Some(&client), &[]), None);
        assert_eq!(field(None, &ours), None);
        assert_eq!(field(Some(&client), &ours).as_deref(), Some("/clientId"));
        assert_eq!(field(None, &[]).as_deref(), Some("/audiences"));
    }
}
