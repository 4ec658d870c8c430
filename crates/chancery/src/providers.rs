//! How identity providers are asked, as the settings say.

use std::{sync::Arc, time::Duration};

use chancery_client::{WebhookPoster, system_authorities};
use chancery_core::{Fetched, Form, ProviderTransport};

use crate::{
    bounded,
    failure::{Failure, While as _},
    notices::public_or_listed,
    settings::Settings,
};

/// Said where no authority is trusted.
const NO_AUTHORITIES: &str =
    "this system has no file with TLS authorities; --provider-ca or SSL_CERT_FILE may name one";

/// None where no authority is trusted: then no provider is.
struct Transport(Option<WebhookPoster>);

impl ProviderTransport for Transport {
    fn get(&self, url: &str, max: usize, wait: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        let (status, body) = self.0.as_ref().ok_or(NO_AUTHORITIES)?.get(url, max, wait)?;
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
        let client = self.0.as_ref().ok_or(NO_AUTHORITIES)?;
        let (status, body) = client.post_form(url, authorization, form.body.as_bytes(), max, wait)?;
        Ok(Fetched { status, body })
    }
}

/// As the settings say.
pub(crate) fn transport(settings: &Settings) -> Result<Arc<dyn ProviderTransport>, Failure> {
    let authorities = match &settings.provider_ca {
        Some(path) => Some(bounded::file("--provider-ca", path)?),
        None => system_authorities().map(String::into_bytes),
    };
    let allowed = public_or_listed(&settings.provider_networks);
    let client = authorities
        .map(|authorities| WebhookPoster::new(&authorities, allowed, "--provider-networks").doing("--provider-ca"));
    Ok(Arc::new(Transport(client.transpose()?)))
}
