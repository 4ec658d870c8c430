//! Revocation lists as a file.

use chancery_store::tables;
use chancery_types::{
    CertificateId,
    wire::x509::{CrlExportQuery, CrlFormat},
};
use der::pem::{LineEnding, encode_string};

use super::{File, ListKind};
use crate::{Caller, Error, Meaning, Pki, Result, Visitor, context::grant::ReadGrant};

/// What an export of all lists may hold at most: it is put together in memory.
const EXPORT_MAX: usize = 64 * 1024 * 1024;

impl Pki {
    /// The newest revocation lists, for any fully logged-in caller.
    pub async fn exported_lists(&self, caller: &Caller, query: &CrlExportQuery) -> Result<File> {
        let grant = self.context.grant_to_all(caller);
        let visitor = Visitor { request: *caller.request() };
        match (query.issuer, query.format.unwrap_or(CrlFormat::Pem)) {
            (Some(issuer), CrlFormat::Der) => {
                let list = self.revocation_list(&visitor, issuer, ListKind::Complete).await.map_err(at_issuer)?;
                Ok(File { bytes: list.der.to_vec(), media_type: "application/pkix-crl", extension: "crl" })
            }
            (Some(issuer), CrlFormat::Pem) => {
                let list = self.revocation_list(&visitor, issuer, ListKind::Complete).await.map_err(at_issuer)?;
                Ok(pem_file(pem(&list.der)?))
            }
            (None, CrlFormat::Pem) => self.all_lists(&grant, &visitor).await.map(pem_file),
            (None, CrlFormat::Der) => Err(Error::value("/format", "DER holds one list: name its issuer, or take pem.")),
        }
    }

    async fn all_lists(&self, grant: &ReadGrant, visitor: &Visitor) -> Result<String> {
        let read =
            self.context.storage.read(grant, |tx| Box::pin(async move { tables::certificates::trusted_ids(tx).await }));
        let mut text = String::new();
        for issuer in read.await?.into_iter().map(CertificateId::from) {
            match self.revocation_list(visitor, issuer, ListKind::Complete).await {
                Ok(list) => text.push_str(&pem(&list.der)?),
                // Its key is elsewhere, and so are its lists.
                Err(refusal) if refusal.meaning() == Meaning::NotFound => {}
                Err(refusal) => return Err(refusal),
            }
            if text.len() > EXPORT_MAX {
                let why =
                    format!("All lists together have more than {EXPORT_MAX} bytes; ask for one issuer's at a time.");
                return Err(Error::too_large("/issuer", why));
            }
        }
        Ok(text)
    }
}

fn pem(der: &[u8]) -> Result<String> {
    encode_string("X509 CRL", LineEnding::LF, der).map_err(Error::internal)
}

fn pem_file(text: String) -> File {
    File { bytes: text.into_bytes(), media_type: "application/x-pem-file", extension: "pem" }
}

/// The issuer is no part of the path here.
fn at_issuer(refusal: Error) -> Error {
    if refusal.meaning() != Meaning::NotFound {
        return refusal;
    }
    Error::selection("/issuer", "There is no such authority that has revocation lists here.")
}
