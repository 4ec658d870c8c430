//! Certificates that were made elsewhere: issuers that are only trusted, and authorities with their private key.
//!
//! `read.rs` reads what was sent, `link.rs` puts each certificate below its issuer and verifies it, `store.rs` writes;
//! `verifiers.rs` refuses authorities that nobody else would follow.

mod key;
mod link;
mod number_resources;
mod read;
mod store;
mod verifiers;

use chancery_types::{
    Action, Perm,
    wire::import::{ImportAuthority, ImportCertificates, Imported},
};
use key::Material;
use link::Linked;
use read::Foreign;
use serde_json::{Value, json};
use store::{Known, Wanted};

use crate::{
    Caller, Error, Event, Grant, Pki, Result,
    context::changes::{Change, ChangeKind},
};

const CERTIFICATES: &str = "/certificates";

impl Pki {
    /// Takes certificates into the inventory that were issued elsewhere, without keys.
    pub async fn import_certificates(&self, caller: &Caller, request: ImportCertificates) -> Result<Imported> {
        let action = Action::CertificateImport;
        let grant = self.context.grant(caller, Perm::CertManageManage, action, None).await?;
        let ImportCertificates { certificates, trust_cert } = request;
        let (limits, trust) = (self.context.limits.clone(), trust_cert.unwrap_or(false));
        let read = self.context.pool.run(move || read::certificates(&certificates, &limits)).await??;
        let linked = self.linked(&grant, read).await?;
        let wanted = Wanted { trust, authority: None };
        let fingerprints = fingerprints(&linked);
        let (now_ms, name_max) = (self.context.clock.now_ms(), self.context.limits.name_max);
        // What becomes trusted changes what is said of the authorities that the compiled state knows.
        let event = Event::new(action).detail(json!({"trusted": trust})).changes(Change::all(ChangeKind::Revocation));
        let (event, told) = event.told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    let imported = store::insert(tx, linked, wanted, now_ms, name_max).await?;
                    told.members([("certificates", recorded(&imported, &fingerprints))])?;
                    Ok(imported)
                })
            })
            .await
    }

    /// Takes a certificate authority in with its private key, so that it issues here from now on. Two people must be
    /// logged in: whoever has the key can make anybody believe anything in this authority's name.
    pub async fn import_authority(&self, caller: &Caller, request: ImportAuthority) -> Result<Imported> {
        let action = Action::AuthorityImport;
        let grant = self.context.grant(caller, Perm::CertManageExport, action, None).await?;
        if caller.members().len() < 2 {
            let refusal = Error::forbidden("A key is imported by two people who are logged in together.");
            return Err(self.context.refused(caller, Event::new(action), refusal).await);
        }
        let (limits, hardened) = (self.context.limits.clone(), self.context.hardened);
        let material = self.context.pool.run(move || Material::open(&request, &limits, hardened)).await??;
        let Material { key, certificates, subject, field, encrypted } = material;
        let mut warnings = key::warnings(&certificates[subject], key.spec(), encrypted);
        let linked = self.linked(&grant, certificates).await?;
        let authority = linked.position(subject);
        let (detail, fingerprints) = (json!({"authority": authority, "from": field}), fingerprints(&linked));
        warnings.extend(link::unheeded(&linked, authority));
        let key = self.keys.sealed_foreign_key(key).await?;
        let wanted = Wanted { trust: false, authority: Some((authority, key)) };
        let (now_ms, name_max) = (self.context.clock.now_ms(), self.context.limits.name_max);
        let event = Event::new(action).detail(detail).changes(Change::all(ChangeKind::Revocation));
        let (event, told) = event.told();
        let imported = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                let imported = store::insert(tx, linked, wanted, now_ms, name_max).await?;
                imported.certificate_uuid.map_or(Ok(()), |id| told.object(id))?;
                told.members([("certificates", recorded(&imported, &fingerprints))])?;
                Ok(imported)
            })
        });
        let mut imported = imported.await?;
        imported.warnings = warnings;
        Ok(imported)
    }

    /// Finds the issuer of each, among them or in the inventory, and verifies.
    async fn linked(&self, grant: &Grant, certificates: Vec<Foreign>) -> Result<Linked> {
        let now_ms = self.context.clock.now_ms();
        let names =
            certificates.iter().map(|certificate| certificate.issuer_names(self.context.limits.name_max)).collect();
        let known: Vec<Known> = self.context.storage.read(grant, move |tx| Box::pin(store::issuers(tx, names))).await?;
        self.context.pool.run(move || link::link(certificates, known, now_ms)).await?
    }
}

fn fingerprints(linked: &Linked) -> Vec<String> {
    linked.certificates.iter().map(|certificate| hex::encode_upper(certificate.foreign.fingerprint())).collect()
}

/// What the audit record says of certificates.
fn recorded(imported: &Imported, fingerprints: &[String]) -> Value {
    let told = imported.certificates.iter().zip(fingerprints).map(|(certificate, fingerprint)| {
        json!({
            "certificateUuid": certificate.certificate_uuid,
            "subject": certificate.subject,
            "serialNumber": certificate.serial_number,
            "sha256": fingerprint,
        })
    });
    told.collect()
}
