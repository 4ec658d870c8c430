//! The objects of the server's services, each under the handle that it keeps.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use chancery_types::{
    CertificateId, CertificateStatus, ServiceId, SigningFormat,
    wire::{ListQuery, service_details::Service},
};
use cryptoki_sys::{
    CK_ATTRIBUTE_TYPE, CK_OBJECT_CLASS, CK_OBJECT_HANDLE, CKO_CERTIFICATE, CKO_PRIVATE_KEY, CKO_PUBLIC_KEY,
    CKR_DEVICE_ERROR, CKR_OBJECT_HANDLE_INVALID,
};
use der::{Decode as _, Document, Encode as _};
use x509_cert::Certificate;

use crate::{
    failure::{Failure, Result, debug, say},
    object::{Key, Name, Object},
    public_key::PublicKey,
    server::Server,
};

/// How long objects are taken for what the server has: tools search many times in a row.
const FRESH: Duration = Duration::from_secs(10);

/// Authorities above a service at most: a circle ends somewhere.
const DEPTH_MAX: usize = 16;

/// What an object is of: a class, a certificate, and for keys the service.
type Id = (CK_OBJECT_CLASS, CertificateId, Option<ServiceId>);

#[derive(Default)]
pub(crate) struct Catalogue {
    /// All that there have been; a handle is a place in it, from 1 on.
    known: Vec<(Id, Arc<Object>)>,
    /// Those that are there now.
    present: HashSet<usize>,
    certificates: HashMap<CertificateId, Arc<Saved>>,
    read_at: Option<Instant>,
    /// Services that the configuration names and the server does not; each was told once.
    missing: HashSet<String>,
}

/// A certificate, and which one it was issued by.
struct Saved {
    der: Vec<u8>,
    certificate: Certificate,
    issuer: CertificateId,
    name: String,
}

impl Catalogue {
    /// What has all these attributes, as the server has it now.
    pub(crate) fn search(
        &mut self,
        server: &Server,
        services: &[String],
        wanted: &[(CK_ATTRIBUTE_TYPE, &[u8])],
    ) -> Result<Vec<CK_OBJECT_HANDLE>> {
        self.refresh(server, services)?;
        let mut found: Vec<_> = self.present.iter().copied().filter(|place| self.known[*place].1.is(wanted)).collect();
        found.sort_unstable();
        Ok(found.into_iter().map(|place| place as CK_OBJECT_HANDLE + 1).collect())
    }

    /// Reads what the server has, where that was long ago. What it says half is not taken.
    pub(crate) fn refresh(&mut self, server: &Server, services: &[String]) -> Result<()> {
        if self.read_at.is_some_and(|at| at.elapsed() < FRESH) {
            return Ok(());
        }
        let before = self.present.clone();
        match self.read(server, services) {
            Ok(()) => self.read_at = Some(Instant::now()),
            Err(failure) => {
                self.present = before;
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Looks again in a while, and not before.
    pub(crate) fn postpone(&mut self) {
        self.read_at = Some(Instant::now());
    }

    /// Makes the next look read again: something has changed.
    pub(crate) const fn expire(&mut self) {
        self.read_at = None;
    }

    pub(crate) fn object(&self, handle: CK_OBJECT_HANDLE) -> Result<Arc<Object>> {
        let place = handle.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        let place = place.filter(|place| self.present.contains(place)).ok_or(CKR_OBJECT_HANDLE_INVALID)?;
        Ok(Arc::clone(&self.known[place].1))
    }

    /// Forgets what only whoever was logged in may see.
    pub(crate) fn clear(&mut self) {
        self.present.clear();
        self.read_at = None;
    }

    fn read(&mut self, server: &Server, services: &[String]) -> Result<()> {
        let all = server.call(|client| client.services(&ListQuery::default()))?.results;
        self.present.clear();
        for name in services.iter().filter(|name| all.iter().all(|service| service.obj_info.name != **name)) {
            if self.missing.insert(name.clone()) {
                say(format_args!("services: there is no {name:?} here, or it is not for this identity to see"));
            }
        }
        let shown = |service: &Service| services.is_empty() || services.contains(&service.obj_info.name);
        for service in all.into_iter().filter(shown) {
            // A time-stamping authority signs nothing else.
            let (Some(format), Some(id)) = (service.signing_format, service.certificate_uuid) else { continue };
            let Some(saved) = self.saved(server, id)? else { continue };
            let name = Name { label: &service.obj_info.name, id: service.obj_info.uuid.as_bytes() };
            let object = Object::certificate(&saved.certificate, &saved.der, name, false);
            self.keep((CKO_CERTIFICATE, id, None), object);
            self.read_issuers(server, id, saved.issuer)?;
            let is_valid = service.certificate.as_ref().is_some_and(|stub| stub.status == CertificateStatus::Valid);
            if format == SigningFormat::Raw && is_valid {
                self.read_keys(&saved, service, id);
            }
        }
        Ok(())
    }

    /// The authorities above a certificate, so that programs find the whole chain.
    fn read_issuers(&mut self, server: &Server, of: CertificateId, issuer: CertificateId) -> Result<()> {
        let (mut below, mut id) = (of, issuer);
        for _ in 0..DEPTH_MAX {
            if id == below {
                break;
            }
            let Some(saved) = self.saved(server, id)? else { break };
            let name = Name { label: &saved.name, id: id.as_bytes() };
            self.keep((CKO_CERTIFICATE, id, None), Object::certificate(&saved.certificate, &saved.der, name, true));
            (below, id) = (id, saved.issuer);
        }
        Ok(())
    }

    fn read_keys(&mut self, saved: &Saved, service: Service, id: CertificateId) {
        let name = service.obj_info.name;
        let uuid = service.obj_info.uuid;
        let spki = saved.certificate.tbs_certificate().subject_public_key_info();
        let read = PublicKey::read(spki).and_then(|public| Ok(public.zip(Some(spki.to_der()?))));
        let (public, spki) = match read {
            Ok(Some(read)) => read,
            Ok(None) => return debug(format!("{name}: PKCS#11 has no keys of this kind")),
            Err(error) => return debug(format!("{name}: its public key cannot be read: {error}")),
        };
        let called = Name { label: &name, id: uuid.as_bytes() };
        self.keep((CKO_PUBLIC_KEY, id, Some(uuid)), Object::public_key(&saved.certificate, &public, called));
        let policies = service.signing_policies;
        let key = Key { service: uuid, service_name: name.clone(), policies, public, spki };
        self.keep((CKO_PRIVATE_KEY, id, Some(uuid)), Object::private_key(&saved.certificate, key, called));
    }

    /// Puts an object under its handle.
    fn keep(&mut self, id: Id, object: der::Result<Object>) {
        let object = match object {
            Ok(object) => Arc::new(object),
            Err(error) => return debug(format!("certificate {}: {error}", id.1)),
        };
        let place = self.known.iter().position(|(known, _)| *known == id);
        let place = match place {
            Some(place) => {
                self.known[place].1 = object;
                place
            }
            None => {
                self.known.push((id, object));
                self.known.len() - 1
            }
        };
        self.present.insert(place);
    }

    /// A certificate, which never changes. One that cannot be had is told and left out: the others are there.
    fn saved(&mut self, server: &Server, id: CertificateId) -> Result<Option<Arc<Saved>>> {
        if let Some(saved) = self.certificates.get(&id) {
            return Ok(Some(Arc::clone(saved)));
        }
        let detail = match server.call(|client| client.certificate(id)) {
            Ok(detail) => detail,
            Err(failure) if failure.code() == CKR_DEVICE_ERROR => return Err(failure),
            Err(failure) => {
                failure.report();
                return Ok(None);
            }
        };
        let Some(pem) = detail.certificate else { return Ok(None) };
        let read = || -> der::Result<_> {
            let (_, document) = Document::from_pem(&pem)?;
            let der = document.into_vec();
            Ok((Certificate::from_der(&der)?, der))
        };
        let unreadable = |error| Failure::told(CKR_DEVICE_ERROR, format!("certificate {id} cannot be read: {error}"));
        let (certificate, der) = read().map_err(unreadable)?;
        let saved = Arc::new(Saved { der, certificate, issuer: detail.issuer_uuid, name: detail.obj_info.name });
        self.certificates.insert(id, Arc::clone(&saved));
        Ok(Some(saved))
    }
}
