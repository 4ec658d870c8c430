//! Certificates: names, profiles, validity, issuing, revocation.

mod address;
mod authority;
pub(crate) mod cert_profile;
mod certificate;
mod download;
mod expiry;
mod export;
mod import;
mod inventory;
mod issuance;
mod issue;
mod issuer_limits;
mod kept_lists;
mod lint;
mod lists;
mod ocsp;
mod order;
pub(crate) mod proposals;
mod revocation;
mod service_certificate;
mod stored_certificate;
mod stored_lists;
mod transport;

use std::sync::Arc;

use chancery_types::{
    CertificateId,
    wire::x509::{Certificate, DownloadFormat, DownloadQuery, GenerateCertificate},
};
use chancery_x509::{alt_name, crl, csr, dn, name_constraints, validity};
use issuance::Ordered;
use tokio::sync::Mutex;

use crate::{Approvals, Caller, Context, Error, Identities, Keys, Result, log::inclusion_proof};

pub(crate) use authority::ReadyAuthorities;
pub(crate) use cert_profile::ReadyCertProfiles;
pub(crate) use certificate::{Issuer, Serial};
pub use download::File;
pub use expiry::Expiring;
pub(crate) use expiry::{DAYS as EXPIRY_DAYS, Found as FoundExpiring, WatchingExpiry};
pub(crate) use issuance::IssueRequest;
pub(crate) use issue::{Plan, Prepared};
pub(crate) use kept_lists::KeptLists;
pub use lists::{ListKind, ListVersion, RevocationList};
pub(crate) use ocsp::Answers as OcspAnswers;
pub use ocsp::OcspAnswer;
pub(crate) use order::{Order, Wanted, default_hash};
pub(crate) use service_certificate::{Asked, ServiceCertificate};
pub(crate) use stored_certificate::StoredCertificate;
pub use transport::TransportIdentity;

/// Certificates: what issues them, and where they stand.
pub struct Pki {
    context: Arc<Context>,
    identities: Arc<Identities>,
    approvals: Arc<Approvals>,
    pub(crate) keys: Arc<Keys>,
    /// Revocation lists that were signed already.
    pub(crate) kept_lists: KeptLists,
    /// Held while an OCSP responder's certificate is made.
    ocsp_turn: Mutex<()>,
    /// OCSP answers that were signed already.
    pub(crate) ocsp_answers: Arc<OcspAnswers>,
    /// Authorities that issued something.
    pub(crate) authorities: ReadyAuthorities,
    /// Certificate profiles of people's own under which something was issued.
    pub(crate) cert_profiles: ReadyCertProfiles,
    /// How many certificates end soon.
    expiring: FoundExpiring,
}

impl Pki {
    pub(crate) fn new(
        context: &Arc<Context>,
        identities: &Arc<Identities>,
        approvals: &Arc<Approvals>,
        keys: &Arc<Keys>,
    ) -> Self {
        Self {
            kept_lists: KeptLists::new(context.limits.revocation_lists_kept_max),
            ocsp_turn: Mutex::default(),
            ocsp_answers: Arc::default(),
            authorities: ReadyAuthorities::default(),
            cert_profiles: ReadyCertProfiles::default(),
            expiring: FoundExpiring::default(),
            context: Arc::clone(context),
            identities: Arc::clone(identities),
            approvals: Arc::clone(approvals),
            keys: Arc::clone(keys),
        }
    }
}

impl AsRef<Context> for Pki {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

/// JSON pointers of members that several files speak of.
const AMOUNT: &str = "/certParams/validityPeriod/amount";
const ISSUER: &str = "/issuerUuid";
const SUBJECT: &str = "/subjectOneline";
const ALT_NAMES: &str = "/certParams/subjectAltNames";

impl Pki {
    /// A certificate.
    pub async fn certificate(&self, caller: &Caller, id: CertificateId) -> Result<Certificate> {
        let grant = self.context.grant_to_all(caller);
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                Ok::<_, Error>((StoredCertificate::load(tx, id).await?, inclusion_proof(tx, id.into()).await?))
            })
        });
        let (found, proof) = read.await?;
        found.detail(proof, self.context.clock.now_ms())
    }

    /// A certificate as a file, alone or with its issuers.
    pub async fn certificate_file(&self, caller: &Caller, id: CertificateId, query: &DownloadQuery) -> Result<File> {
        let grant = self.context.grant_to_all(caller);
        let chain = self.context.storage.read(&grant, move |tx| Box::pin(StoredCertificate::chain(tx, id))).await?;
        chain.iter().try_for_each(StoredCertificate::check_saved)?;
        download::file(&chain, query.format.unwrap_or(DownloadFormat::Pem))
    }

    /// A certificate with a new key.
    async fn ordered_new(&self, request: GenerateCertificate) -> Result<Ordered> {
        let profile = self.issuing_profile(request.cert_profile_uuid).await?;
        let save = request.save_cert.unwrap_or(true);
        let wanted = Wanted {
            profile,
            issuer: request.issuer_uuid,
            subject: request.subject_oneline.as_deref(),
            new_key: &request.new_key.unwrap_or_default(),
            key_params: request.key_params.as_ref(),
            cert_params: &request.cert_params.unwrap_or_default(),
            trust: request.trust_cert.unwrap_or(false),
        };
        let order = Order::read(wanted, self.context.hardened)?;
        check_kept(save, &order)?;
        Ok(Ordered { save, ..Ordered::kept(order) })
    }
}

/// A certificate that is not kept can neither be trusted nor keep its key.
fn check_kept(save: bool, order: &Order) -> Result<()> {
    if !save && order.trust {
        return Err(Error::value("/trustCert", "A certificate that is not saved (saveCert) cannot be trusted."));
    }
    if !save && order.save_key {
        return Err(Error::value(
            "/newKey/save",
            "The key of a certificate that is not saved (saveCert) cannot be saved.",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
