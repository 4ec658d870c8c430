//! Revocation lists as they come from the store, whose rows have no MAC: their authority's signature says as much.

use chancery_keys::{Input, SignatureScheme, verify};
use chancery_store::tables;
use chancery_types::CertificateId;
use chancery_x509::certificate::Signed;
use der::{Decode, Encode, oid::AssociatedOid};
use tracing::error;
use x509_cert::{certificate::Rfc5280, crl::CertificateList, ext::pkix::CrlNumber};

use super::{kept_lists::Lists, stored_certificate::StoredCertificate};
use crate::{Error, Pki, Result, context::storage::MayRead};

impl Pki {
    /// The lists of an authority that were signed last; `None` where those in the store are not what it signed with this
    /// number, as where somebody put earlier ones there.
    pub(super) async fn stored_lists(
        &self,
        publishing: &impl MayRead,
        issuer: CertificateId,
    ) -> Result<(i64, Option<Lists>)> {
        let read = self.context.storage.read(publishing, move |tx| {
            Box::pin(async move {
                let authority = StoredCertificate::load(tx, issuer).await?;
                Ok::<_, Error>((authority, tables::crls::lists(tx, issuer.into()).await?))
            })
        });
        let (authority, stored) = read.await?;
        let stored = stored.ok_or_else(|| Error::not_found("revocation list"))?;
        let number = stored.number;
        let lists = self.context.pool.run(move || {
            let are_its =
                [&stored.der, &stored.delta].into_iter().all(|der| signed_number(der, &authority) == Some(number));
            are_its.then(|| Lists { complete: stored.der.into(), delta: stored.delta.into() })
        });
        let lists = lists.await?;
        if lists.is_none() {
            error!(authority = %issuer, number, "a stored revocation list is not the one that its authority signed");
        }
        Ok((number, lists))
    }
}

/// The number of a list that this authority signed.
fn signed_number(der: &[u8], authority: &StoredCertificate) -> Option<i64> {
    let signed = Signed::from_der(der).ok()?;
    let scheme = SignatureScheme::named(authority.spec, &signed.algorithm)?;
    let certificate = x509_cert::Certificate::from_der(&authority.der).ok()?;
    let public_key = certificate.tbs_certificate().subject_public_key_info().to_der().ok()?;
    let message = signed.to_be_signed.to_der().ok()?;
    verify(&public_key, scheme, Input::Message(&message), signed.signature.as_bytes()?).ok()?;
    let list = CertificateList::<Rfc5280>::from_der(der).ok()?;
    let extensions = list.tbs_cert_list.crl_extensions?;
    let numbered = extensions.iter().find(|extension| extension.extn_id == CrlNumber::OID)?;
    let CrlNumber(number) = CrlNumber::from_der(numbered.extn_value.as_bytes()).ok()?;
    number.as_bytes().iter().try_fold(0_i64, |number, octet| number.checked_mul(256)?.checked_add(i64::from(*octet)))
}
