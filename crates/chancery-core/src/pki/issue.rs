//! Issuing: everything is prepared outside the transaction (keys are generated, the certificate is signed), and stored
//! inside it, together with whatever else the caller stores.

use std::sync::Arc;

use chancery_keys::{KeySpec, SigningKey};
use chancery_store::{Tx, name_key, tables};
use chancery_types::{CertificateId, KeyId, LogVisibility, wire::x509::GeneratedCertificate};

use super::{
    AMOUNT, ISSUER,
    address::Addresses,
    certificate::{Draft, Issuer, Serial, assemble, to_be_signed},
    lint,
    order::{GivenKey, Order},
    stored::{StoredCertificate, pem},
    validity::Validity,
};
use crate::{
    Chancery, Error, Meaning, Result,
    keys::NewKey,
    log::{self, Leaf, NewEntry},
    time::rfc3339,
};

/// A certificate that is signed but not stored yet.
pub(crate) struct Prepared {
    pub(crate) id: CertificateId,
    pub(crate) subject: String,
    pub(crate) serial: Serial,
    pub(crate) warnings: Vec<String>,
    name: String,
    /// Certificates of one name in a day.
    per_name_max: u32,
    order: Order,
    validity: Validity,
    /// Its key, if that is kept; a new one that is not is already forgotten, and nobody ever sees its secret again.
    key: Option<KeptKey>,
    der: Vec<u8>,
}

/// The key that is certified.
enum SubjectKey {
    New(NewKey),
    Given(GivenKey),
}

/// A key that we keep: one to be stored with its certificate, or one that is stored already.
enum KeptKey {
    New(NewKey),
    Stored(KeyId),
}

impl SubjectKey {
    fn spki(&self) -> &[u8] {
        match self {
            Self::New(key) => key.public_key.as_deref().unwrap_or_default(),
            Self::Given(key) => &key.spki,
        }
    }

    fn kept(self, save: bool) -> Option<KeptKey> {
        match self {
            Self::New(key) => save.then_some(KeptKey::New(key)),
            Self::Given(key) => key.id.map(KeptKey::Stored),
        }
    }
}

impl KeptKey {
    const fn id(&self) -> KeyId {
        match self {
            Self::New(key) => key.id,
            Self::Stored(id) => *id,
        }
    }
}

/// An issuer that may issue what was ordered.
struct Issuing {
    key: KeyId,
    spec: KeySpec,
    facts: Issuer,
    addresses: Addresses,
}

impl Chancery {
    /// Makes key and certificate. Nothing is stored: see [`Prepared::issue`].
    pub(crate) async fn prepare_certificate(&self, mut order: Order) -> Result<Prepared> {
        let now_ms = self.clock.now_ms();
        let validity = Validity::starting(now_ms, order.period).map_err(|why| Error::value(AMOUNT, why.to_string()))?;
        check_length(&order, validity, now_ms)?;
        let issuing = match order.issuer {
            Some(issuer) => Some(self.issuing(issuer, &order, validity, now_ms).await?),
            None => None,
        };
        if let Some(issuing) = &issuing {
            order.profile = order.profile.below(issuing.facts.path_len)?;
        }
        let signer = issuing.as_ref().map_or(order.key_type.spec, |issuing| issuing.spec);
        let scheme = order.profile.scheme(signer, order.hash)?;
        let algorithm = scheme.algorithm_identifier();
        let subject_key = match order.given.take() {
            Some(given) => SubjectKey::Given(given),
            None => SubjectKey::New(self.new_key(order.key_type).await?),
        };
        let signer = match &issuing {
            Some(issuing) => self.signing_key(issuing.key).await?,
            None => self.own_signer(&subject_key).await?,
        };
        let serial = Serial::from_random(chancery_keys::random());
        let issuer = issuing.as_ref().map(|issuing| &issuing.facts);
        let to_be_signed = to_be_signed(&Draft {
            profile: &order.profile,
            serial,
            subject: &order.subject,
            public_key: subject_key.spki(),
            validity,
            alt_names: &order.alt_names,
            issuer,
            addresses: issuing.as_ref().map(|issuing| &issuing.addresses),
            algorithm: &algorithm,
        })
        .map_err(Error::internal)?;
        let lint = lint::check(&to_be_signed, &order.profile, issuer).map_err(Error::internal)?;
        lint.map_err(|broken| Error::new(Meaning::Value, broken.to_string()))?;
        let signature = self.sign(&signer, scheme, to_be_signed.clone()).await?;
        let der = assemble(&to_be_signed, algorithm, &signature).map_err(Error::internal)?;
        let subject = order.subject.to_string();
        Ok(Prepared {
            id: CertificateId::in_time(now_ms, chancery_keys::random()),
            name: order.subject.common_name().unwrap_or_else(|| subject.chars().take(self.limits.name_max).collect()),
            subject,
            serial,
            per_name_max: self.limits.certificates_per_name_max,
            warnings: order.warnings(self.public_url.is_some()),
            validity,
            key: subject_key.kept(order.save_key),
            der,
            order,
        })
    }

    /// The key that signs its own certificate.
    async fn own_signer(&self, key: &SubjectKey) -> Result<Arc<SigningKey>> {
        match key {
            SubjectKey::New(key) => self.open_signing_key(key.sealed.clone()).await,
            SubjectKey::Given(GivenKey { id: Some(id), .. }) => self.signing_key(*id).await,
            SubjectKey::Given(GivenKey { id: None, .. }) => {
                Err(Error::state("The private key was not saved, so it cannot sign its own certificate."))
            }
        }
    }

    /// Loads an issuer and refuses what it may not issue.
    async fn issuing(&self, id: CertificateId, order: &Order, validity: Validity, now_ms: i64) -> Result<Issuing> {
        let chain = self.store.read(move |tx| Box::pin(issuer_chain(tx, id))).await?;
        let key = check_issuer(&chain, now_ms)?;
        let issuer = &chain[0];
        let facts = Issuer::from_der(&issuer.der).map_err(Error::internal)?;
        check_ordered(&facts, validity)?;
        let addresses = Addresses::of(&order.profile, self.public_url.as_deref(), id);
        Ok(Issuing { key, spec: issuer.spec, facts, addresses })
    }
}

/// The issuer that a request names, and what issued it.
async fn issuer_chain(tx: &mut Tx, id: CertificateId) -> Result<Vec<StoredCertificate>> {
    let issuer = StoredCertificate::find(tx, id).await?;
    issuer.ok_or_else(|| Error::selection(ISSUER, "There is no such certificate."))?.with_issuers(tx).await
}

/// Whether the first of the chain may issue now; answers its key.
pub(crate) fn check_issuer(chain: &[StoredCertificate], now_ms: i64) -> Result<KeyId> {
    let refused = |why: &'static str| Error::state(why).at(ISSUER);
    if chain.iter().any(|certificate| certificate.revoked.is_some()) {
        return Err(refused("The issuer, or what issued it, is revoked or on hold."));
    }
    if !chain.iter().all(|certificate| certificate.validity.contains(now_ms)) {
        return Err(refused("The issuer, or what issued it, is expired or not yet valid."));
    }
    let Some(issuer) = chain.first().filter(|issuer| issuer.trusted) else {
        return Err(refused("The certificate was not trusted as an issuer (trustCert), so it cannot issue others."));
    };
    issuer.key.ok_or_else(|| refused("The issuer's private key was not saved, so it cannot issue others."))
}

/// Whether so many certificates of this name were issued within a day that another must wait.
async fn check_rate(tx: &mut Tx, name: &str, max: u32, now_ms: i64) -> Result<()> {
    const DAY_S: i64 = 24 * 3_600;
    let oldest = tables::certificates::start_of_newest(tx, &name_key(name), max.saturating_sub(1)).await?;
    let wait_s = oldest.map_or(0, |start_s| start_s + DAY_S - now_ms.div_euclid(1_000));
    match u32::try_from(wait_s) {
        Ok(0) | Err(_) => Ok(()),
        Ok(wait_s) => {
            let message = format!("There are {max} certificates of this name within a day, the most that are issued.");
            Err(Error::busy(message, wait_s))
        }
    }
}

/// Whether the profile allows a life of this length.
fn check_length(order: &Order, validity: Validity, now_ms: i64) -> Result<()> {
    let Some(max) = order.profile.max_validity else { return Ok(()) };
    let longest = Validity::starting(now_ms, max).map_err(|why| Error::value(AMOUNT, why.to_string()))?;
    if validity.not_after_s() > longest.not_after_s() {
        let message =
            format!("The profile {} allows at most {} {}.", order.profile.name, max.amount, max.unit.as_str());
        return Err(Error::value("/certParams/validityPeriod", message));
    }
    Ok(())
}

/// Whether the issuer may issue this.
fn check_ordered(issuer: &Issuer, validity: Validity) -> Result<()> {
    if !issuer.is_authority {
        return Err(Error::state("The certificate is no certificate authority, so it cannot issue others.").at(ISSUER));
    }
    if !validity.within(issuer.validity) {
        let end = rfc3339(issuer.validity.not_after_s());
        let message = format!("The certificate would outlive its issuer, which ends on {end}.");
        return Err(Error::value("/certParams/validityPeriod", message));
    }
    Ok(())
}

impl Prepared {
    /// What the requester learns. `stored` says whether the certificate was.
    pub(crate) fn reply(&self, stored: bool) -> Result<GeneratedCertificate> {
        Ok(GeneratedCertificate {
            certificate_uuid: stored.then_some(self.id),
            certificate: pem(&self.der)?,
            serial_number: self.serial.to_hex(),
            not_before: rfc3339(self.validity.not_before_s()),
            not_after: rfc3339(self.validity.not_after_s()),
            key_uuid: self.key.as_ref().map(KeptKey::id),
            warnings: self.warnings.clone(),
        })
    }

    /// Lets the certificate count: the log tells of it, and where it is to be saved it is stored with its key. What
    /// happened to the issuer meanwhile is looked at again.
    pub(crate) async fn issue(self, tx: &mut Tx, save: bool, now_ms: i64) -> Result<()> {
        let chain = match self.order.issuer {
            Some(issuer) => issuer_chain(tx, issuer).await?,
            None => Vec::new(),
        };
        if !chain.is_empty() {
            check_issuer(&chain, now_ms)?;
        }
        let issuer_der = chain.first().map_or(&self.der, |issuer| &issuer.der);
        let leaf = Leaf::of_certificate(self.validity.not_before_s(), &self.der, issuer_der);
        log::append(tx, vec![NewEntry::new(self.id, 0, &leaf, LogVisibility::Public)?]).await?;
        if save { self.store(tx, now_ms).await } else { Ok(()) }
    }

    /// Stores certificate and key.
    async fn store(self, tx: &mut Tx, now_ms: i64) -> Result<()> {
        let Self { id, subject, serial, name, per_name_max, order, validity, key, der, warnings: _ } = self;
        check_rate(tx, &name, per_name_max, now_ms).await?;
        order.profile.mark_used(tx).await?;
        let key_id = key.as_ref().map(|key| key.id().into());
        if let Some(KeptKey::New(key)) = key {
            // Only data keys have unique names, so this is always stored.
            key.insert(tx, &name, order.key_type.usages, now_ms).await?;
        }
        let row = tables::certificates::Row {
            id: id.into(),
            name_key: name_key(&name),
            name,
            subject_key: name_key(&subject),
            subject,
            issuer_id: order.issuer.unwrap_or(id).into(),
            profile_id: order.profile.id.into(),
            serial: serial.to_hex(),
            not_before_s: validity.not_before_s(),
            not_after_s: validity.not_after_s(),
            spec: order.key_type.spec.as_str().to_owned(),
            key_id,
            trusted: order.trust && order.profile.is_authority(),
            der,
            revoked_at_s: None,
            revocation_reason: None,
        };
        Ok(tables::certificates::insert(tx, &row).await?)
    }
}
