//! Posting to servers elsewhere whose addresses somebody else has named: no redirect is followed, no proxy is asked, and
//! only addresses are connected to that were looked at.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use ureq::{
    Agent, Body, Error,
    config::Config,
    http::{Response, Uri},
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

use crate::{
    ClientError,
    transport::{authorities, tls},
};

/// Says to which addresses may be connected.
pub type Allowed = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Posts JSON over TLS, and gets documents.
pub struct WebhookPoster(Agent);

/// Resolves a name once, and hands on only the addresses that are allowed: the connection is made to one of them.
struct Checked {
    resolver: DefaultResolver,
    allowed: Allowed,
    /// The option that lists more.
    option: &'static str,
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checked")
    }
}

/// Every address of the name is one that nothing is sent to.
#[derive(Debug, thiserror::Error)]
#[error("{0} is at {1}, which is no public address; {2} would have to list it")]
pub(crate) struct NotAllowed(pub(crate) String, pub(crate) IpAddr, pub(crate) &'static str);

impl Resolver for Checked {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.resolver.resolve(uri, config, timeout)?;
        let mut allowed = self.resolver.empty();
        for address in found.iter().filter(|address| (self.allowed)(address.ip())) {
            allowed.push(*address);
        }
        match found.first() {
            Some(first) if allowed.is_empty() => {
                let host = uri.host().unwrap_or_default().to_owned();
                Err(Error::Other(Box::new(NotAllowed(host, first.ip(), self.option))))
            }
            _ => Ok(allowed),
        }
    }
}

impl WebhookPoster {
    /// Servers must present a certificate of one of these authorities (PEM), and have an address that is allowed: a public one,
    /// or one that the option of this name lists.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where there is no certificate in it.
    pub fn new(tls_authorities: &[u8], allowed: Allowed, option: &'static str) -> Result<Self, ClientError> {
        let tls = tls(authorities(tls_authorities)?, None);
        let config = Agent::config_builder()
            .tls_config(tls)
            .https_only(true)
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            // As many as are posted to one receiver at a time, so that none has to shake hands again.
            .max_idle_connections(64)
            .max_idle_connections_per_host(16)
            .build();
        let resolver = Checked { resolver: DefaultResolver::default(), allowed, option };
        Ok(Self(Agent::with_parts(config, DefaultConnector::default(), resolver)))
    }

    /// Posts JSON, or what a header field says that it is, and answers the status, at most `max` bytes of the body, and whether that is all of it, within `wait`.
    ///
    /// # Errors
    ///
    /// [`ClientError::Transport`] where there is no answer.
    pub fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: &[u8],
        max: usize,
        wait: Duration,
    ) -> Result<(u16, Vec<u8>, bool), ClientError> {
        let mut call = self.0.post(url).config().timeout_global(Some(wait)).build();
        call = call.header("User-Agent", "Chancery");
        if !headers.iter().any(|(name, _)| *name == "content-type") {
            call = call.header("Content-Type", "application/json");
        }
        for (name, value) in headers {
            call = call.header(*name, value);
        }
        let mut answer = call.send(body)?;
        let status = answer.status().as_u16();
        // What stands behind the beginning nobody reads; one byte more tells whether there is something.
        let (mut read, ended) = beginning(&mut answer, max.saturating_add(1));
        let is_whole = ended.is_ok() && read.len() <= max;
        read.truncate(max);
        Ok((status, read, is_whole))
    }

    /// Posts a form, and answers the status and at most `max` bytes of the body, within `wait`.
    ///
    /// # Errors
    ///
    /// [`ClientError::Transport`] where there is no answer, or it breaks off.
    pub fn post_form(
        &self,
        url: &str,
        authorization: Option<&str>,
        form: &[u8],
        max: usize,
        wait: Duration,
    ) -> Result<(u16, Vec<u8>), ClientError> {
        let mut call = self.0.post(url).config().timeout_global(Some(wait)).build();
        call = call.header("Content-Type", "application/x-www-form-urlencoded");
        call = call.header("Accept", "application/json").header("User-Agent", "Chancery");
        if let Some(authorization) = authorization {
            call = call.header("Authorization", authorization);
        }
        let mut answer = call.send(form)?;
        let status = answer.status().as_u16();
        let (read, ended) = beginning(&mut answer, max);
        ended.map_err(Error::Io)?;
        Ok((status, read))
    }

    /// Gets a document, and answers the status and at most `max` bytes of the body, within `wait`.
    ///
    /// # Errors
    ///
    /// [`ClientError::Transport`] where there is no answer, or it breaks off.
    pub fn get(&self, url: &str, max: usize, wait: Duration) -> Result<(u16, Vec<u8>), ClientError> {
        let call = self.0.get(url).config().timeout_global(Some(wait)).build();
        let mut answer = call.header("Accept", "application/json").header("User-Agent", "Chancery").call()?;
        let status = answer.status().as_u16();
        let (read, ended) = beginning(&mut answer, max);
        ended.map_err(Error::Io)?;
        Ok((status, read))
    }
}

fn beginning(answer: &mut Response<Body>, max: usize) -> (Vec<u8>, std::io::Result<usize>) {
    let mut read = Vec::new();
    let reader = answer.body_mut().as_reader();
    let ended = std::io::Read::read_to_end(&mut std::io::Read::take(reader, max as u64), &mut read);
    (read, ended)
}
