//! The ids of the authorities that OCSP requests name by hashes: each certificate is parsed once, new ones are looked for.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use chancery_store::{StoreError, Tx, tables};
use chancery_x509::ocsp::request::{CertId, IssuerHashes};
use der::{Decode, Encode};
use uuid::Uuid;
use x509_cert::Certificate;

use crate::{Error, Result};

/// Authorities by the hashes that name them. Their names and keys never change; whether one is trusted still, and has its
/// key here, is asked of its row.
#[derive(Default)]
pub(super) struct Issuers(Mutex<Known>);

#[derive(Default)]
struct Known {
    seen: HashSet<Uuid>,
    by_hashes: HashMap<IssuerHashes, Vec<Uuid>>,
}

impl Issuers {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The authorities that all of these certificates name as their issuer, as far as they are known.
    pub(super) fn of(&self, certificates: &[CertId]) -> Vec<Uuid> {
        let known = self.known();
        let named = |certificate: &CertId| known.by_hashes.get(&certificate.issuer()).map_or(&[][..], Vec::as_slice);
        let Some((first, others)) = certificates.split_first() else { return Vec::new() };
        let is_of_all = |id: &&Uuid| others.iter().all(|other| named(other).contains(id));
        named(first).iter().filter(is_of_all).copied().collect()
    }

    /// Reads the trusted authorities that were not known; whether there were some.
    pub(super) async fn look_for_new(&self, tx: &mut Tx) -> Result<bool> {
        let mut found_some = false;
        for id in tables::certificates::trusted_ids(tx).await? {
            if self.known().seen.contains(&id) {
                continue;
            }
            let row = match tables::certificates::by_id(tx, id).await {
                // Nothing is said in its name; of the others it is.
                Err(StoreError::Unauthentic(_)) => continue,
                row => row?,
            };
            let Some(row) = row else { continue };
            let parsed = Certificate::from_der(&row.der).map_err(Error::internal)?;
            let tbs = parsed.tbs_certificate();
            let name = tbs.subject().to_der().map_err(Error::internal)?;
            self.learn(id, &name, tbs.subject_public_key_info().subject_public_key.raw_bytes());
            found_some = true;
        }
        Ok(found_some)
    }

    fn learn(&self, id: Uuid, name: &[u8], key_bits: &[u8]) {
        let mut known = self.known();
        if known.seen.insert(id) {
            for hashes in IssuerHashes::all(name, key_bits) {
                known.by_hashes.entry(hashes).or_default().push(id);
            }
        }
    }
}
