//! An authority of client certificates as its provider's row has it.

use chancery_types::{Base64, CertificateId, wire::identity_providers::RevocationList};
use chancery_verify::path::{Crl, Link};
use der::pem::{self, LineEnding};
use serde::{Deserialize, Serialize};

use crate::{Error, Result, time::rfc3339_ms};

/// An authority that is trusted with client certificates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::identity::federation) struct AuthorityContent {
    /// Which of this installation's it is, where it is one: then its revocations are in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) own: Option<CertificateId>,
    /// Its certificates, in DER.
    pub(super) certificates: Vec<Base64>,
    /// Its revocation lists, and those of authorities below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) lists: Vec<ListContent>,
}

/// A revocation list, and what it says of itself: lists are long, and are read only when a certificate is held against them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListContent {
    pub(super) der: Base64,
    pub(super) issuer: String,
    pub(super) this_update_ms: i64,
    pub(super) next_update_ms: i64,
    pub(super) revoked: u32,
}

impl AuthorityContent {
    pub(super) fn links(&self) -> Result<Vec<Link>> {
        let link = |der: &Base64| Link::read(&der.0).ok_or_else(|| Error::internal("a stored authority is none"));
        self.certificates.iter().map(link).collect()
    }

    pub(super) fn crls(&self) -> Result<Vec<Crl>> {
        let list = |list: &ListContent| {
            Crl::read(&list.der.0).ok_or_else(|| Error::internal("a stored revocation list is none"))
        };
        self.lists.iter().map(list).collect()
    }

    pub(in crate::identity::federation) fn without_lists(&self) -> Self {
        Self { own: self.own, certificates: self.certificates.clone(), lists: Vec::new() }
    }

    pub(in crate::identity::federation) const fn own(&self) -> Option<CertificateId> {
        self.own
    }

    /// As the interface shows it: PEM.
    pub(in crate::identity::federation) fn shown_certificates(&self) -> Result<String> {
        let pem = |der: &Base64| pem::encode_string("CERTIFICATE", LineEnding::LF, &der.0).map_err(Error::internal);
        self.certificates.iter().map(pem).collect()
    }

    /// As the interface shows them.
    pub(in crate::identity::federation) fn shown_lists(&self) -> Vec<RevocationList> {
        let list = |list: &ListContent| RevocationList {
            issuer: list.issuer.clone(),
            this_update: rfc3339_ms(list.this_update_ms),
            next_update: rfc3339_ms(list.next_update_ms),
            revoked: list.revoked,
        };
        self.lists.iter().map(list).collect()
    }
}
