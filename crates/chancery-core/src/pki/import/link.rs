//! Chains out of certificates in any order: below each issuer what it issued, every link verified.

use chancery_keys::NamedAlgorithm;
use chancery_types::CertificateId;
use chancery_verify::path::{Link, NotTrusted, check_path};
use der::{Decode, Encode, asn1::ObjectIdentifier};
use x509_cert::{
    Certificate,
    ext::pkix::{BasicConstraints, KeyUsage, KeyUsages, SubjectAltName},
    name::Name,
};

use super::{CERTIFICATES, read::Foreign, store::Known, verifiers::names_another_issuer};
use crate::{
    Error, Result,
    pki::{authority::issuer_of, issuer_limits::for_anything, stored_certificate::CHAIN_MAX},
};

/// Certificates, each after its issuer.
pub(super) struct Linked {
    pub(super) certificates: Vec<LinkedCertificate>,
    /// What the inventory has of their issuers.
    known: Vec<Known>,
}

pub(super) struct LinkedCertificate {
    /// Its place among what was sent.
    sent: usize,
    pub(super) foreign: Foreign,
    pub(super) issuer: Above,
}

/// What issued a certificate.
#[derive(Clone, Copy)]
pub(super) enum Above {
    /// Itself.
    Itself,
    /// One that was sent too, by its place in [`Linked`].
    Sent(usize),
    /// One of the inventory.
    Stored(CertificateId),
}

impl Linked {
    /// Where a certificate is that was sent at this place.
    pub(super) fn position(&self, sent: usize) -> usize {
        self.certificates.iter().position(|certificate| certificate.sent == sent).unwrap_or_default()
    }

    /// A certificate that was sent and what issued it: the certificates in DER, the root last.
    fn chain(&self, of: Above) -> Vec<&[u8]> {
        match of {
            Above::Itself => Vec::new(),
            Above::Stored(id) => {
                let found = self.known.iter().find(|known| known.id() == id);
                found.into_iter().flat_map(|known| known.chain.iter().map(|link| link.der.as_slice())).collect()
            }
            Above::Sent(place) => {
                let certificate = &self.certificates[place];
                let mut chain = vec![certificate.foreign.der.as_slice()];
                chain.extend(self.chain(certificate.issuer));
                chain
            }
        }
    }
}

/// Issuers of one name and one key below which a certificate is tried.
const PLACES_MAX: usize = 8;

/// A certificate that may have issued another.
struct Candidate {
    name: Name,
    spki: Vec<u8>,
    is_authority: bool,
    usage: Option<KeyUsage>,
}

/// Puts each certificate below its issuer: the roots first, then, round by round, what those issued that stand already. So
/// nothing stands below itself, however the certificates point at each other.
pub(super) fn link(certificates: Vec<Foreign>, mut known: Vec<Known>, now_ms: i64) -> Result<Linked> {
    // What is sent and there too takes its place among what is sent.
    known.retain(|known| certificates.iter().all(|sent| sent.der != known.chain[0].der));
    let mut left: Vec<_> = certificates.into_iter().enumerate().map(|(sent, foreign)| (sent, foreign, None)).collect();
    for (_, certificate, _) in &left {
        if !certificate.validity.contains(now_ms) {
            return Err(refused(certificate, "is expired or not yet valid"));
        }
    }
    let stored = known
        .iter()
        .map(|known| Ok((Above::Stored(known.id()), Candidate::stored(&known.chain[0].der).map_err(Error::internal)?)));
    let mut candidates = stored.collect::<Result<Vec<_>>>()?;
    let mut linked = Linked { certificates: Vec::new(), known };
    // Each is held against each other once: a round looks at what stands since the last one.
    let mut tried = 0;
    while !left.is_empty() {
        let fresh = &candidates[tried..];
        let is_first = linked.certificates.is_empty();
        tried = candidates.len();
        let mut standing = Vec::new();
        let mut waiting = Vec::new();
        for (sent, certificate, refusal) in left {
            match find_issuer(&certificate, &linked, fresh, is_first, now_ms)? {
                Ok(issuer) => standing.push((sent, certificate, issuer)),
                Err(why) => waiting.push((sent, certificate, refusal.or(why))),
            }
        }
        if standing.is_empty() {
            let missing = missing_issuer(&waiting[0].1);
            return Err(waiting.into_iter().find_map(|(_, _, refusal)| refusal).unwrap_or(missing));
        }
        for (sent, foreign, issuer) in standing {
            candidates.push((Above::Sent(linked.certificates.len()), Candidate::sent(&foreign)));
            linked.certificates.push(LinkedCertificate { sent, foreign, issuer });
        }
        left = waiting;
    }
    Ok(linked)
}

/// The issuer of a certificate, if it is itself or among those that stand: one whose key verifies, and below which it may stand.
/// Several may have one name and one key, such as those that were renewed. Where there is none: what is wrong with the first.
fn find_issuer(
    certificate: &Foreign,
    linked: &Linked,
    candidates: &[(Above, Candidate)],
    may_be_root: bool,
    now_ms: i64,
) -> Result<Result<Above, Option<Error>>> {
    let tbs = certificate.parsed.tbs_certificate();
    let algorithm = &certificate.signed.algorithm;
    let message = certificate.signed.to_be_signed.to_der().map_err(Error::internal)?;
    let signature = certificate.signed.signature.as_bytes().unwrap_or_default();
    let verifies = |spki: &[u8]| {
        let algorithm = NamedAlgorithm::read(algorithm, None)?;
        algorithm.verify(spki, &message, signature).ok().map(|()| algorithm.hash())
    };
    // A root's own signature proves nothing that its presence does not say: any hash will do.
    if may_be_root && certificate.is_self_issued() && verifies(&certificate.spki).is_some() {
        return check_place(certificate, linked, Above::Itself, now_ms).map(|()| Ok(Above::Itself));
    }
    let (mut refusal, mut places) = (None, 0);
    for (above, candidate) in candidates.iter().filter(|(_, candidate)| candidate.name == *tbs.issuer()) {
        let Some(hash) = verifies(&candidate.spki) else { continue };
        if let Some(hash) = hash.filter(|hash| hash.is_weak()) {
            return Err(refused(certificate, &format!("is signed over {hash}, which proves nothing any more")));
        }
        let signs = candidate.usage.is_none_or(|usage| usage.0.contains(KeyUsages::KeyCertSign));
        let why = if candidate.is_authority && signs {
            match check_place(certificate, linked, *above, now_ms) {
                Ok(()) => return Ok(Ok(*above)),
                Err(why) => why,
            }
        } else {
            let why = "was issued by a certificate that is no certificate authority (basicConstraints, keyUsage)";
            refused(certificate, why)
        };
        refusal.get_or_insert(why);
        places += 1;
        if places == PLACES_MAX {
            break;
        }
    }
    Ok(Err(refusal))
}

/// Why the issuer of a certificate was not found.
fn missing_issuer(certificate: &Foreign) -> Error {
    if NamedAlgorithm::read(&certificate.signed.algorithm, None).is_none() {
        let oid = certificate.signed.algorithm.oid;
        return refused(certificate, &format!("is signed by an algorithm that is not known here ({oid})"));
    }
    let why = "has no issuer whose key verifies its signature, neither among what was sent nor in the inventory; a chain \
               is imported up to its root";
    refused(certificate, why)
}

/// Whether a certificate may stand below these: the issuer first, the root last.
fn check_place(certificate: &Foreign, linked: &Linked, issuer: Above, now_ms: i64) -> Result<()> {
    let above = linked.chain(issuer);
    if above.len() >= CHAIN_MAX {
        return Err(refused(certificate, &format!("ends a chain of more than {CHAIN_MAX} certificates")));
    }
    if let Above::Stored(id) = issuer {
        let known = linked.known.iter().filter(|known| known.id() == id);
        if known.flat_map(|known| &known.chain).any(|link| link.revoked.is_some() || !link.validity.contains(now_ms)) {
            return Err(refused(certificate, "was issued by an authority that is revoked, on hold or expired here"));
        }
    }
    let issuing = above.first().map(|der| Certificate::from_der(der)).transpose().map_err(Error::internal)?;
    let own = certificate.parsed.tbs_certificate();
    if certificate.is_authority && names_another_issuer(own, issuing.as_ref().map_or(own, Certificate::tbs_certificate))
    {
        let why = "has an authorityKeyIdentifier that is not its issuer's, so that verifiers look for another";
        return Err(refused(certificate, why));
    }
    if above.is_empty() {
        return check_alone(certificate);
    }
    if certificate.is_authority && !certificate.is_self_issued() {
        check_authority(certificate, &above)?;
    }
    check_rules(certificate, &above, now_ms)
}

/// Whether relying parties read a certificate that stands below nothing: whoever trusts it follows paths up to it all the
/// same.
fn check_alone(certificate: &Foreign) -> Result<()> {
    let link = Link::read(&certificate.der).ok_or_else(|| refused(certificate, "cannot be read by relying parties"))?;
    match link.fault() {
        None => Ok(()),
        Some(extension) => {
            let why = format!(
                "has an extension that relying parties cannot read, or that is critical and not known: {extension}"
            );
            Err(refused(certificate, &why))
        }
    }
}

/// Whether an authority may stand below these.
fn check_authority(certificate: &Foreign, above: &[&[u8]]) -> Result<()> {
    let issuer = issuer_of(above.iter().copied()).map_err(|refusal| refusal.at(CERTIFICATES))?;
    if issuer.path_len == Some(0) {
        return Err(refused(certificate, "is an authority, for which its issuers' path length leaves no place"));
    }
    let tbs = certificate.parsed.tbs_certificate();
    let names = tbs.get_extension::<SubjectAltName>().map_err(|_| refused(certificate, "has unreadable names"))?;
    let names = names.map(|(_, names)| names.0).unwrap_or_default();
    issuer.check_names(tbs.subject(), &names, true).map_err(|breach| {
        refused(certificate, &format!("is an authority that its issuers may not certify: {}", breach.why()))
    })
}

/// All that relying parties will hold the path against (RFC 5280, 6.1). Hashes were looked at before; whose keys are too
/// short is everybody's own matter.
fn check_rules(certificate: &Foreign, above: &[&[u8]], now_ms: i64) -> Result<()> {
    let path = [certificate.der.as_slice()].into_iter().chain(above.iter().copied()).map(Link::read);
    let path: Option<Vec<_>> = path.collect();
    let path = path.ok_or_else(|| refused(certificate, "has extensions that cannot be read, or its issuers have"))?;
    check_path(&path.iter().collect::<Vec<_>>(), &for_anything(now_ms)).map_err(|why| match &why {
        NotTrusted::Broken { subject, breach } if *subject == path[0].subject_text() => {
            refused(certificate, &breach.to_string())
        }
        NotTrusted::NoPath
        | NotTrusted::Validity
        | NotTrusted::Broken { .. }
        | NotTrusted::Unsupported { .. }
        | NotTrusted::TooComplex => refused(certificate, &format!("is not one that relying parties would take: {why}")),
    })
}

/// Extensions that are looked at when certificates are issued, or that limit nothing.
const HEEDED: [&str; 12] = [
    // subjectKeyIdentifier, keyUsage, subjectAltName, issuerAltName, basicConstraints
    "2.5.29.14",
    "2.5.29.15",
    "2.5.29.17",
    "2.5.29.18",
    "2.5.29.19",
    // nameConstraints, cRLDistributionPoints, certificatePolicies, authorityKeyIdentifier, extendedKeyUsage, freshestCRL
    "2.5.29.30",
    "2.5.29.31",
    "2.5.29.32",
    "2.5.29.35",
    "2.5.29.37",
    "2.5.29.46",
    // authorityInfoAccess
    "1.3.6.1.5.5.7.1.1",
];

/// Extensions that limit what stands below, whether they are critical or not: policyMappings, policyConstraints,
/// inhibitAnyPolicy. Issuing warns of them and refuses nothing.
const LIMITING: [&str; 3] = ["2.5.29.33", "2.5.29.36", "2.5.29.54"];

/// What relying parties will look at and for which issuing refuses nothing, in the authority and what issued it.
pub(super) fn unheeded(linked: &Linked, authority: usize) -> Option<String> {
    let mut found: Vec<ObjectIdentifier> = Vec::new();
    for link in linked.chain(Above::Sent(authority)) {
        // All of them were read before.
        let Ok(parsed) = Certificate::from_der(link) else { continue };
        let extensions = parsed.tbs_certificate().extensions().into_iter().flatten();
        let unheeded = extensions.filter(|extension| {
            let oid = extension.extn_id.to_string();
            let is = |list: &[&str]| list.contains(&oid.as_str());
            is(&LIMITING) || extension.critical && !is(&HEEDED)
        });
        found.extend(unheeded.map(|extension| extension.extn_id));
    }
    found.sort_unstable();
    found.dedup();
    let oids: Vec<_> = found.iter().map(ToString::to_string).collect();
    (!oids.is_empty()).then(|| {
        format!(
            "Relying parties hold what the authority issues against these extensions of it or its issuers; issuing \
             refuses nothing for them, and warns of certificate policies alone: {}.",
            oids.join(", ")
        )
    })
}

fn refused(certificate: &Foreign, why: &str) -> Error {
    let subject: String = certificate.subject.to_string().chars().take(255).collect();
    Error::value(CERTIFICATES, format!("The certificate of {subject} {why}."))
}

impl Candidate {
    fn stored(der: &[u8]) -> der::Result<Self> {
        let parsed = Certificate::from_der(der)?;
        let tbs = parsed.tbs_certificate();
        Ok(Self {
            name: tbs.subject().clone(),
            spki: tbs.subject_public_key_info().to_der()?,
            is_authority: tbs.get_extension::<BasicConstraints>()?.is_some_and(|(_, constraints)| constraints.ca),
            usage: tbs.get_extension::<KeyUsage>()?.map(|(_, usage)| usage),
        })
    }

    fn sent(certificate: &Foreign) -> Self {
        Self {
            name: certificate.parsed.tbs_certificate().subject().clone(),
            spki: certificate.spki.clone(),
            is_authority: certificate.is_authority,
            usage: certificate.usage,
        }
    }
}
