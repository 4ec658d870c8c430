//! Issuing: everything is prepared outside the transaction (keys are generated, the certificate is signed), and stored
//! inside it, together with whatever else the caller stores.

use std::sync::Arc;

use chancery_keys::SignatureScheme;
use chancery_store::{Tx, name_key, tables};
use chancery_types::{CertificateId, KeyId, LogVisibility, Origin, wire::x509::GeneratedCertificate};
use chancery_verify::path::Link;

use super::{
    AMOUNT, ISSUER,
    address::Addresses,
    authority::ReadyAuthority,
    cert_profile::CLIENT_AUTH,
    certificate::{Draft, Serial, assemble, to_be_signed},
    issuer_limits, lint,
    ocsp::ForResponder,
    order::{GivenKey, Order},
    proposals::issuer,
    stored_certificate::{StoredCertificate, pem},
    validity::Validity,
};
use crate::{
    Error, Meaning, Pki, Result,
    approval::{Requirement, proposals::ApprovedProposal},
    custody::{Message, Signer},
    identity::{self, AskedBy, CertificateNames},
    keys::{NewKey, key_type},
    log::{self, Leaf, NewEntry},
    time::rfc3339,
};

/// A certificate to be made, with all that can be known of it before there is a key.
pub(crate) struct Plan {
    pub(super) order: Order,
    pub(super) validity: Validity,
    pub(super) authority: Option<Arc<ReadyAuthority>>,
    pub(super) scheme: SignatureScheme,
    now_ms: i64,
}

/// Why a certificate may be made.
pub(crate) enum Clearance {
    /// Nobody was asked: so nobody is to be.
    Unasked,
    /// Everybody has approved it who is to be asked.
    Approved(ApprovedProposal),
    /// An authority's own responder: its key leaves Chancery no more than the authority's, and only says which
    /// certificates are revoked.
    Responder(ForResponder),
}

/// A certificate that is signed but not stored yet.
pub(crate) struct Prepared {
    pub(crate) id: CertificateId,
    pub(crate) subject: String,
    pub(crate) serial: Serial,
    pub(crate) warnings: Vec<String>,
    name: String,
    /// Certificates of one name in a day.
    per_name_max: u32,
    issuer: Option<Arc<ReadyAuthority>>,
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
            Self::New(key) => key.version.public_key.as_deref().unwrap_or_default(),
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
            Self::New(key) => key.id(),
            Self::Stored(id) => *id,
        }
    }
}

impl Pki {
    /// Makes key and certificate where nobody is to be asked first. Nothing is stored: see [`Prepared::issue`].
    pub(crate) async fn prepare_certificate(&self, order: Order) -> Result<Prepared> {
        let plan = self.plan_certificate(order).await?;
        self.prepare_planned(plan, Clearance::Unasked).await
    }

    /// Checks what can be checked before there is a key.
    pub(crate) async fn plan_certificate(&self, mut order: Order) -> Result<Plan> {
        let now_ms = self.context.clock.now_ms();
        let validity = Validity::starting(now_ms, order.period).map_err(|why| Error::value(AMOUNT, why.to_string()))?;
        check_length(&order, validity, now_ms)?;
        let authority = match order.issuer {
            Some(issuer) => Some(self.ready_authority(issuer, now_ms).await?),
            None => None,
        };
        if let Some(authority) = &authority {
            order.profile = issuer_limits::check(authority, &order, validity)?;
        }
        let signer = authority.as_ref().map_or(order.spec, |authority| authority.signer.spec());
        let scheme = order.profile.scheme(signer, order.hash)?;
        Ok(Plan { order, validity, authority, scheme, now_ms })
    }

    /// Makes key and certificate as planned.
    pub(crate) async fn prepare_planned(&self, plan: Plan, clearance: Clearance) -> Result<Prepared> {
        match clearance {
            Clearance::Unasked => plan.check_free()?,
            Clearance::Approved(ApprovedProposal { .. }) | Clearance::Responder(ForResponder { .. }) => {}
        }
        let Plan { mut order, validity, authority, scheme, now_ms } = plan;
        let issuer = authority.as_ref().map(|authority| &authority.facts);
        let algorithm = scheme.algorithm_identifier();
        // Before a given key is taken from the order.
        let mut warnings = order.warnings(self.context.public_url.is_some());
        let subject_key = match order.given.take() {
            Some(given) => SubjectKey::Given(given),
            None => SubjectKey::New(self.keys.new_key(order.spec).await?),
        };
        let signer = match &authority {
            Some(authority) => authority.signer.clone(),
            None => self.own_signer(&subject_key).await?,
        };
        let serial = Serial::from_random(chancery_keys::random());
        order.number(serial)?;
        let addresses = order.issuer.map(|id| Addresses::of(&order.profile, self.context.public_url.as_deref(), id));
        let to_be_signed = to_be_signed(&Draft {
            profile: &order.profile,
            serial,
            subject: &order.subject,
            public_key: subject_key.spki(),
            validity,
            alt_names: &order.alt_names,
            issuer,
            addresses: addresses.as_ref(),
            algorithm: &algorithm,
        })
        .map_err(Error::internal)?;
        let lint = lint::check(&to_be_signed, &order.profile, issuer).map_err(Error::internal)?;
        lint.map_err(|broken| Error::new(Meaning::Value, broken.to_string()))?;
        let (signed, signature) = signer.sign(Message { scheme, bytes: to_be_signed }).await?;
        let der = assemble(&signed.bytes, algorithm, &signature).map_err(Error::internal)?;
        if let Some(authority) = &authority {
            warnings.extend(issuer_limits::warnings(&authority.path, &order.profile, &der, now_ms)?);
        }
        let subject = order.subject.to_string();
        Ok(Prepared {
            id: CertificateId::in_time(now_ms, chancery_keys::random()),
            name: order.name(self.context.limits.name_max),
            subject,
            serial,
            per_name_max: self.context.limits.certificates_per_name_max,
            warnings,
            validity,
            key: subject_key.kept(order.save_key),
            der,
            issuer: authority,
            order,
        })
    }

    /// The key that signs its own certificate.
    async fn own_signer(&self, key: &SubjectKey) -> Result<Signer> {
        match key {
            SubjectKey::New(key) => self.context.custody.passing_signer(&key.version).await,
            SubjectKey::Given(GivenKey { id: Some(id), .. }) => self.keys.signing_key(*id).await,
            SubjectKey::Given(GivenKey { id: None, .. }) => {
                Err(Error::state("The private key was not saved, so it cannot sign its own certificate."))
            }
        }
    }
}

/// A certificate that was made here, as relying parties read it.
pub(super) fn link(der: &[u8]) -> Result<Link> {
    Link::read(der).ok_or_else(|| Error::internal("a certificate of ours cannot be read"))
}

/// The names of a certificate under its issuer, if it is for logins: what says as whom it would log its holder in.
pub(super) struct StandsFor {
    names: CertificateNames,
    issuer: Option<CertificateId>,
}

impl StandsFor {
    /// A login takes what names this purpose, and nothing else.
    fn new(names: CertificateNames, order: &Order) -> Self {
        let logs_in = order.profile.extended_key_usages.contains(&CLIENT_AUTH);
        Self { names, issuer: order.issuer.filter(|_| logs_in) }
    }

    /// Refuses what would log somebody in who holds more than whoever asks for it.
    pub(super) async fn check(&self, tx: &mut Tx, asked_by: &AskedBy) -> Result<()> {
        let Some(issuer) = self.issuer else { return Ok(()) };
        if !tables::identity_providers::has_authorities(tx).await? {
            return Ok(());
        }
        let chain = StoredCertificate::chain(tx, issuer).await?;
        let authorities = chain.iter().map(|authority| Ok(link(&authority.der)?.subject_text()));
        let authorities = authorities.collect::<Result<Vec<_>>>()?;
        identity::check_stands_for(tx, &self.names, &authorities, asked_by).await
    }
}

/// Whether so many certificates of a name were issued within a day that another must wait: `oldest_start_s` is the start
/// of the one that makes it `max`.
fn check_rate(oldest_start_s: Option<i64>, max: u32, now_ms: i64) -> Result<()> {
    const DAY_S: i64 = 24 * 3_600;
    let wait_s = oldest_start_s.map_or(0, |start_s| start_s + DAY_S - now_ms.div_euclid(1_000));
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

impl Plan {
    /// Who is to approve it: whom the profile names, whom the issuer does, and whom the authority did whose place it
    /// takes.
    pub(crate) fn requirement(&self) -> Requirement {
        let issuer = self.authority.as_ref().and_then(|authority| authority.approval());
        let rules = [issuer, self.order.inherits.as_ref(), Some(&self.order.profile.approval)];
        Requirement::all(rules.into_iter().flatten())
    }

    /// As whom it would log its holder in.
    pub(super) fn stands_for(&self) -> StandsFor {
        let names = CertificateNames::planned(self.order.subject.to_string(), &self.order.alt_names);
        StandsFor::new(names, &self.order)
    }

    /// What people call the certificate.
    pub(super) fn name(&self, max: usize) -> String {
        self.order.name(max)
    }

    /// InvalidState where somebody is to be asked first.
    fn check_free(&self) -> Result<()> {
        if self.requirement().is_none() {
            return Ok(());
        }
        let message = "The issuer issues nothing without approvals, and this call cannot wait for them.";
        Err(Error::state(message).at(ISSUER))
    }
}

impl Prepared {
    /// Looks at what [`issue`](Self::issue) will look at, without storing anything.
    pub(crate) async fn check(&self, tx: &mut Tx, now_ms: i64) -> Result<()> {
        self.order.profile.check_current(tx).await?;
        self.check_again(tx, now_ms).await.map(drop)
    }

    /// What the requester learns.
    pub(crate) fn reply(&self) -> Result<GeneratedCertificate> {
        Ok(GeneratedCertificate {
            certificate_uuid: self.id,
            certificate: pem(&self.der)?,
            serial_number: self.serial.to_hex(),
            not_before: rfc3339(self.validity.not_before_s()),
            not_after: rfc3339(self.validity.not_after_s()),
            key_uuid: self.key.as_ref().map(KeptKey::id),
            warnings: self.warnings.clone(),
        })
    }

    /// Lets the certificate count, unless something happened to its issuer meanwhile: the log tells of it, and the inventory
    /// knows it with its key. Where it is not to be saved the inventory does without the certificate itself: what was issued
    /// can be revoked.
    pub(crate) async fn issue(self, tx: &mut Tx, save: bool, now_ms: i64) -> Result<()> {
        let oldest_start_s = self.check_again(tx, now_ms).await?;
        let issuer_der = self.issuer.as_ref().map_or(self.der.as_slice(), |issuer| issuer.der());
        let leaf = Leaf::of_certificate(self.validity.not_before_s(), &self.der, issuer_der);
        log::append(tx, vec![NewEntry::new(self.id, 0, &leaf, LogVisibility::Public)?]).await?;
        check_rate(oldest_start_s, self.per_name_max, now_ms)?;
        self.store(tx, save, now_ms).await
    }

    /// As whom it would log its holder in: see [`StandsFor`]. What services, responders and stamps sign with logs nobody
    /// in: it is not for authenticating clients.
    pub(super) async fn check_stands_for(&self, tx: &mut Tx, asked_by: &AskedBy) -> Result<()> {
        let names = CertificateNames::of(&link(&self.der)?);
        StandsFor::new(names, &self.order).check(tx, asked_by).await
    }

    /// Looks again, in the transaction that records the certificate, at what may have happened to its issuer: also what is
    /// not stored is not handed out after that. Answers what [`check_rate`] asks for.
    async fn check_again(&self, tx: &mut Tx, now_ms: i64) -> Result<Option<i64>> {
        let (name_key, newer) = (name_key(&self.name), self.per_name_max.saturating_sub(1));
        match &self.issuer {
            Some(issuer) => issuer.check_again(tx, &name_key, newer, now_ms).await,
            None => Ok(tables::certificates::start_of_newest(tx, &name_key, newer).await?),
        }
    }

    /// Stores certificate and key.
    async fn store(self, tx: &mut Tx, save: bool, now_ms: i64) -> Result<()> {
        let Self { id, subject, serial, name, order, validity, key, der, .. } = self;
        order.profile.mark_used(tx).await?;
        let key_id = key.as_ref().map(|key| key.id().into());
        if let Some(KeptKey::New(key)) = key {
            // Only data keys have unique names, so this is always stored.
            key.insert(tx, &name, key_type::usages(order.spec), now_ms).await?;
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
            spec: order.spec.as_str().to_owned(),
            key_id,
            trusted: order.trust && order.profile.is_authority(),
            der: if save { der } else { Vec::new() },
            revoked_at_s: None,
            revocation_reason: None,
            origin: Origin::Generated.as_str().to_owned(),
            approval: order.inherits.as_ref().map(issuer::text).transpose()?,
        };
        Ok(tables::certificates::insert(tx, &row).await?)
    }
}
