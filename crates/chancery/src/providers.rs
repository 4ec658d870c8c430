//! How identity providers are asked, as the settings say.

use std::{sync::Arc, time::Duration};

use chancery_client::{Allowed, TlsConnector, WebhookPoster, system_authorities};
use chancery_core::{Fetched, Form, LdapPlace, NoAnswer, ProviderTransport};
use chancery_ldap::{Answer, Question, ask, start_tls};

use crate::{
    bounded,
    failure::{Failure, While as _},
    notices::public_or_listed,
    settings::Settings,
};

/// Said where no authority is trusted.
const NO_AUTHORITIES: &str =
    "this system has no file with TLS authorities; --provider-ca or SSL_CERT_FILE may name one";

/// The option that lists networks.
const NETWORKS: &str = "--provider-networks";

/// None where no authority is trusted: then no provider is, but for directories that have authorities of their own.
struct Transport {
    https: Option<WebhookPoster>,
    tls: Option<TlsConnector>,
    allowed: Allowed,
}

impl ProviderTransport for Transport {
    fn get(&self, url: &str, max: usize, wait: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        let (status, body) = self.https.as_ref().ok_or(NO_AUTHORITIES)?.get(url, max, wait)?;
        Ok(Fetched { status, body })
    }

    fn post_form(
        &self,
        url: &str,
        form: &Form,
        max: usize,
        wait: Duration,
    ) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        let authorization = form.authorization.as_ref().map(|value| value.as_str());
        let client = self.https.as_ref().ok_or(NO_AUTHORITIES)?;
        let (status, body) = client.post_form(url, authorization, form.body.as_bytes(), max, wait)?;
        Ok(Fetched { status, body })
    }

    fn ask_directory(&self, at: &LdapPlace, question: &Question<'_>, wait: Duration) -> Result<Answer, NoAnswer> {
        let own = at.authorities.as_ref();
        let own = own.map(|pem| TlsConnector::new(pem.as_bytes(), Arc::clone(&self.allowed), NETWORKS)).transpose();
        let own = own.map_err(|error| NoAnswer::NotReached(error.into()))?;
        let tls = own.as_ref().or(self.tls.as_ref()).ok_or_else(|| NoAnswer::NotReached(NO_AUTHORITIES.into()))?;
        let address = &at.address;
        let connected = tls.connect(&address.host, address.port, wait, |socket| {
            if address.starts_tls { Ok(start_tls(socket)?) } else { Ok(()) }
        });
        let mut stream = connected.map_err(NoAnswer::NotReached)?;
        Ok(ask(&mut stream, question)?)
    }
}

/// As the settings say.
pub(crate) fn transport(settings: &Settings) -> Result<Arc<dyn ProviderTransport>, Failure> {
    let authorities = match &settings.provider_ca {
        Some(path) => Some(bounded::file("--provider-ca", path)?),
        None => system_authorities().map(String::into_bytes),
    };
    let allowed = public_or_listed(&settings.provider_networks);
    let https = authorities.as_ref().map(|pem| WebhookPoster::new(pem, Arc::clone(&allowed), NETWORKS));
    let tls = authorities.as_ref().map(|pem| TlsConnector::new(pem, Arc::clone(&allowed), NETWORKS));
    let (https, tls) = (https.transpose().doing("--provider-ca")?, tls.transpose().doing("--provider-ca")?);
    Ok(Arc::new(Transport { https, tls, allowed }))
}
