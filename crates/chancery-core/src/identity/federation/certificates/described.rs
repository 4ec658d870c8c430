//! What may be said of an authority of client certificates.

use chancery_store::tables;
use chancery_types::{
    Base64, CertificateId,
    wire::identity_providers::{CreateIdentityProvider, PatchIdentityProvider},
};
use chancery_verify::{
    path::{Crl, Link},
    read_crls, read_links,
};

use super::{
    refusal::is_over,
    stored::{AuthorityContent, ListContent},
};
use crate::{Error, Grant, Identities, Result};

/// Bytes of the certificates of an authority, and how many they are: an old key and a new one.
const CERTIFICATES_TEXT_MAX: usize = 64 * 1_024;
const CERTIFICATES_MAX: usize = 4;

/// Bytes of revocation lists, and how many they are.
const CRLS_TEXT_MAX: usize = 512 * 1_024;
const CRLS_MAX: usize = 20;

/// Bytes of the name of an authority.
const NAME_MAX: usize = 1_024;

const CERTIFICATES: &str = "/authorityCertificates";
const CRLS: &str = "/crls";

/// What is asked for of an authority: what is absent stays as it is.
pub(in crate::identity::federation) struct AuthorityChange {
    certificates: Option<(String, Vec<Base64>)>,
    lists: Option<Vec<ListContent>>,
}

impl Identities {
    /// The authority that a new provider is, and its name; nothing where it is no authority.
    pub(in crate::identity::federation) async fn described_authority(
        &self,
        grant: &Grant,
        body: &CreateIdentityProvider,
    ) -> Result<Option<(String, AuthorityContent)>> {
        let is_one = body.authority_uuid.is_some() || body.authority_certificates.is_some();
        if is_one && body.ldap.is_some() {
            return Err(Error::value("/ldap", "A provider is an authority of client certificates or a directory."));
        }
        let (name, authority) = match (body.authority_uuid, &body.authority_certificates) {
            (None, None) if body.crls.is_some() => return Err(of_tokens(CRLS)),
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => {
                let message = "An authority is one of this installation, or another one: authorityUuid alone, or this.";
                return Err(Error::value(CERTIFICATES, message));
            }
            (Some(_), None) if body.crls.is_some() => return Err(of_own(CRLS)),
            (Some(own), None) => self.own_authority(grant, own).await?,
            (None, Some(certificates)) => {
                let message =
                    "The revocation lists of the authority are needed: without them nobody knows what it revoked.";
                let crls = body.crls.as_deref().ok_or_else(|| Error::value(CRLS, message))?;
                let (name, certificates) = read_authority(certificates)?;
                (
                    name,
                    AuthorityContent { own: None, certificates, lists: read_lists(crls, self.context.clock.now_ms())? },
                )
            }
        };
        match &body.issuer {
            Some(issuer) if *issuer != name => {
                Err(Error::value("/issuer", format!("The name of this authority is {name}; it need not be said.")))
            }
            _ if name.is_empty() || name.len() > NAME_MAX => {
                Err(Error::value("/issuer", format!("The name of an authority has 1 to {NAME_MAX} bytes.")))
            }
            _ => Ok(Some((name, authority))),
        }
    }

    async fn own_authority(&self, grant: &Grant, own: CertificateId) -> Result<(String, AuthorityContent)> {
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::certificates::by_id(tx, own.into()).await?) })
        });
        let field = "/authorityUuid";
        let row = read.await?.ok_or_else(|| Error::selection(field, "There is no such certificate."))?;
        let link = Link::read(&row.der).filter(Link::is_authority);
        let Some(link) = link.filter(|_| row.trusted && row.revoked_at_s.is_none()) else {
            return Err(Error::value(field, "This is no authority that is trusted as an issuer, and not revoked."));
        };
        let certificates = vec![Base64(row.der)];
        Ok((link.subject_text(), AuthorityContent { own: Some(own), certificates, lists: Vec::new() }))
    }

    /// What is asked for of the authority that a provider is.
    pub(in crate::identity::federation) fn authority_change(
        &self,
        body: &mut PatchIdentityProvider,
    ) -> Result<AuthorityChange> {
        let now_ms = self.context.clock.now_ms();
        Ok(AuthorityChange {
            certificates: body.authority_certificates.take().map(|text| read_authority(&text)).transpose()?,
            lists: body.crls.take().map(|text| read_lists(&text, now_ms)).transpose()?,
        })
    }
}

impl AuthorityChange {
    /// The authority of this name with this change. One of this installation is what it is.
    pub(in crate::identity::federation) fn of(
        self,
        old: Option<AuthorityContent>,
        name: &str,
    ) -> Result<Option<AuthorityContent>> {
        let Self { certificates, lists } = self;
        let Some(old) = old else {
            return match (certificates, lists) {
                (None, None) => Ok(None),
                (Some(_), _) => Err(of_tokens(CERTIFICATES)),
                (None, Some(_)) => Err(of_tokens(CRLS)),
            };
        };
        if old.own.is_some() {
            // Whoever writes back what was read changes nothing.
            let is_other = certificates.is_some_and(|(_, certificates)| certificates != old.certificates);
            return match lists {
                _ if is_other => Err(of_own(CERTIFICATES)),
                Some(_) => Err(of_own(CRLS)),
                None => Ok(Some(old)),
            };
        }
        if let Some((other, _)) = certificates.as_ref().filter(|(other, _)| other != name) {
            let message = format!("Bindings are about {name}, and these certificates are of {other}.");
            return Err(Error::value(CERTIFICATES, message));
        }
        let certificates = certificates.map_or(old.certificates, |(_, certificates)| certificates);
        Ok(Some(AuthorityContent { own: None, certificates, lists: lists.unwrap_or(old.lists) }))
    }
}

fn of_tokens(field: &str) -> Error {
    Error::value(field, "This is said of an authority of client certificates, and the provider is none.")
}

fn of_own(field: &str) -> Error {
    let message = "An authority of this installation is known, with all that it revoked: nothing of it is given.";
    Error::value(field, message)
}

/// Refuses what is said of tokens where a provider has none. What stands for nothing may be said.
pub(in crate::identity::federation) fn check_no_tokens(body: &PatchIdentityProvider) -> Result<()> {
    let is_said = |text: &Option<Option<String>>| text.as_ref().is_some_and(Option::is_some);
    let is_some = |list: Option<usize>| list.is_some_and(|len| len > 0);
    let field = [
        ("/audiences", is_some(body.audiences.as_ref().map(Vec::len))),
        ("/algorithms", is_some(body.algorithms.as_ref().map(Vec::len))),
        ("/jwks", is_said(&body.jwks)),
        ("/singleUse", body.single_use == Some(true)),
        ("/clientId", is_said(&body.client_id)),
        ("/clientSecret", is_said(&body.client_secret)),
        ("/secondFactorAcr", is_some(body.second_factor_acr.as_ref().map(Vec::len))),
    ];
    match field.iter().find(|(_, is_said)| *is_said) {
        None => Ok(()),
        Some((field, _)) => Err(Error::value(
            *field,
            "This is said of tokens, and the provider is an authority of client certificates, or a directory.",
        )),
    }
}

/// The certificates of one authority, and its name.
fn read_authority(text: &str) -> Result<(String, Vec<Base64>)> {
    if text.len() > CERTIFICATES_TEXT_MAX {
        let message = format!("The certificates of an authority have at most {CERTIFICATES_TEXT_MAX} bytes.");
        return Err(Error::too_large(CERTIFICATES, message));
    }
    let wrong = |message: String| Error::value(CERTIFICATES, message);
    let links = read_links(text.as_bytes()).map_err(|_| wrong("These are no certificates in PEM.".to_owned()))?;
    if links.len() > CERTIFICATES_MAX {
        return Err(wrong(format!("An authority has at most {CERTIFICATES_MAX} certificates.")));
    }
    let name = links[0].subject_text();
    for link in &links {
        let own = link.subject_text();
        if let Some(extension) = link.fault() {
            return Err(wrong(format!(
                "The certificate of {own} has an extension that is not known here: {extension}."
            )));
        }
        if !link.is_authority() {
            return Err(wrong(format!("The certificate of {own} is no certificate authority's (basicConstraints).")));
        }
        if own != name {
            return Err(wrong(format!("These are certificates of {name} and of {own}: a provider is one of them.")));
        }
    }
    Ok((name, links.iter().map(|link| Base64(link.der().to_vec())).collect()))
}

fn read_lists(text: &str, now_ms: i64) -> Result<Vec<ListContent>> {
    if text.len() > CRLS_TEXT_MAX {
        return Err(Error::too_large(CRLS, format!("Revocation lists have at most {CRLS_TEXT_MAX} bytes.")));
    }
    let ders = chancery_x509::pem::blocks(text.as_bytes(), &["X509 CRL"]).unwrap_or_default();
    let lists = read_crls(text.as_bytes()).ok().filter(|lists| lists.len() == ders.len());
    let lists = lists.ok_or_else(|| Error::value(CRLS, "These are no revocation lists in PEM."))?;
    if lists.len() > CRLS_MAX {
        return Err(Error::value(CRLS, format!("A provider has at most {CRLS_MAX} revocation lists.")));
    }
    lists.iter().zip(ders).map(|(list, der)| described(list, der, now_ms)).collect()
}

fn described(list: &Crl, der: Vec<u8>, now_ms: i64) -> Result<ListContent> {
    let issuer = list.issuer_text();
    let Some(next_update_ms) = list.next_update_ms() else {
        return Err(Error::value(
            CRLS,
            format!("The list of {issuer} does not say until when it counts (nextUpdate)."),
        ));
    };
    if is_over(list, now_ms) {
        return Err(Error::value(
            CRLS,
            format!("The list of {issuer} is over (nextUpdate): give the one that followed."),
        ));
    }
    let revoked = u32::try_from(list.len()).unwrap_or(u32::MAX);
    Ok(ListContent { der: Base64(der), issuer, this_update_ms: list.this_update_ms(), next_update_ms, revoked })
}
