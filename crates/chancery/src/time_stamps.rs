//! The time-stamping authorities elsewhere that the settings name.

use std::{path::Path, sync::Arc, time::Duration};

use chancery_client::StampFetcher;
use chancery_core::{OutsideAuthorities, StampTransport};

use crate::{
    bounded,
    failure::{Failure, While as _},
    settings::Settings,
};

/// Where systems keep the authorities that their TLS clients trust.
const TLS_AUTHORITIES: &[&str] =
    &["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

struct Http(StampFetcher);

impl StampTransport for Http {
    fn post(
        &self,
        url: &str,
        request: Vec<u8>,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.0.post(url, &request, max, wait)?)
    }
}

/// Those that the settings name, if they do.
pub(crate) fn outside(settings: &Settings) -> Result<Option<OutsideAuthorities>, Failure> {
    let urls = &settings.time_stamp_urls;
    if urls.is_empty() {
        return Ok(None);
    }
    let roots = settings.time_stamp_roots.as_deref();
    let roots = roots.map(|path| bounded::text("--time-stamp-roots", path)).transpose()?;
    // Stamps are signed, so most authorities are reached by plain HTTP.
    let tls = if urls.iter().any(|url| url.starts_with("https://")) { Some(tls_authorities()?) } else { None };
    let transport = Arc::new(Http(StampFetcher::new(tls.as_deref()).doing("--time-stamp-urls with https")?));
    let found = OutsideAuthorities::new(urls.clone(), roots.as_deref(), transport);
    found.map(Some).doing("--time-stamp-urls, --time-stamp-roots")
}

/// The authorities that this system trusts; `SSL_CERT_FILE` names another file.
fn tls_authorities() -> Result<Vec<u8>, Failure> {
    let named = std::env::var_os("SSL_CERT_FILE");
    let found = named.iter().map(Path::new).chain(TLS_AUTHORITIES.iter().map(Path::new)).find(|path| path.is_file());
    let file = found
        .ok_or("--time-stamp-urls with https: no file with this system's authorities; SSL_CERT_FILE may name one")?;
    bounded::file("", file)
}
