//! Where the files of a request were built: SLSA provenance that a submission brings and one of its policy's issuers
//! signed. Verified before the request is stored; approvers are shown what was verified.

use std::sync::Arc;

use chancery_keys::hash;
use chancery_store::{Tx, tables::signing_provenance};
use chancery_types::{
    Base64, HashType,
    wire::{
        signing_policies::{PolicyRules, ProvenanceIssuer},
        signing_requests::{Provenance as Shown, ProvenanceSource},
    },
};
use chancery_verify::{
    hexadecimal,
    provenance::{Issuer, Material, Provenance},
};
use uuid::Uuid;

use super::{claim::Claim, embedded::container, service::Policy, submission::Contents};
use crate::{
    Error, Limits, Result, Signing,
    base::text::{check_name, check_shown},
};

const FIELD: &str = "/provenance";

const ISSUERS_MAX: usize = 16;
const BUILDERS_MAX: usize = 16;

/// Bytes of an envelope. One about 10,000 files has some 1.3 million in base64 twice over, so those of manifests may not be
/// of all that a manifest may hold.
const ENVELOPE_MAX: usize = 1 << 20;

/// Bytes of a text that is shown.
const TEXT_MAX: usize = 2_048;

/// Sources that are shown, and digests of each.
const SOURCES_SHOWN: usize = 20;
const DIGESTS_SHOWN: usize = 8;

/// Provenance that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proven {
    envelope: Vec<u8>,
    pub(super) shown: Shown,
}

/// What has to be among the subjects.
enum Built {
    Payload(Arc<Vec<u8>>),
    Digests(HashType, Vec<Vec<u8>>),
}

impl Signing {
    /// Verifies what a submission says of where it comes from, if anything; refuses one without where the policy demands
    /// it.
    pub(super) async fn provenance(
        &self,
        said: Option<Base64>,
        policy: &Policy,
        contents: &Contents,
    ) -> Result<Option<Proven>> {
        let PolicyRules { provenance_issuers, provenance_required, .. } = &policy.rules;
        let Some(Base64(envelope)) = said else {
            if *provenance_required {
                let names: Vec<_> = provenance_issuers.iter().map(|issuer| issuer.name.as_str()).collect();
                let names = names.join(", ");
                let why = format!("The policy takes requests only with SLSA provenance, signed by one of: {names}.");
                return Err(Error::value(FIELD, why));
            }
            return Ok(None);
        };
        if provenance_issuers.is_empty() {
            let why =
                "The policy names no issuers of provenance (rules.provenanceIssuers), so nothing says whose counts.";
            return Err(Error::value(FIELD, why));
        }
        if envelope.len() > ENVELOPE_MAX {
            return Err(Error::too_large(FIELD, format!("Provenance has at most {ENVELOPE_MAX} bytes.")));
        }
        let (built, issuers) = (built(contents, policy)?, provenance_issuers.clone());
        self.context.pool.run(move || verified(envelope, &built, &issuers)).await?.map(Some)
    }
}

impl Proven {
    pub(super) async fn insert(self, tx: &mut Tx, request_id: Uuid) -> Result<()> {
        let verified = serde_json::to_string(&self.shown).map_err(Error::internal)?;
        let row = signing_provenance::Row { request_id, envelope: self.envelope, verified };
        Ok(signing_provenance::insert(tx, &row).await?)
    }

    pub(super) async fn of(tx: &mut Tx, request_id: Uuid) -> Result<Option<Self>> {
        let row = signing_provenance::of(tx, request_id).await?;
        let read = |row: signing_provenance::Row| {
            let shown = serde_json::from_str(&row.verified).map_err(Error::internal)?;
            Ok(Self { envelope: row.envelope, shown })
        };
        row.map(read).transpose()
    }

    pub(super) fn into_envelope(self) -> Base64 {
        Base64(self.envelope)
    }
}

/// What came with a request: what the submitter claims, and what was verified.
pub(super) async fn with_claim(tx: &mut Tx, request_id: Uuid) -> Result<(Claim, Option<Proven>)> {
    let claim = Claim::of(tx, &[request_id]).await?.remove(&request_id).unwrap_or_default();
    Ok((claim, Proven::of(tx, request_id).await?))
}

/// Checks what rules say of issuers.
pub(super) fn check_issuers(issuers: &[ProvenanceIssuer], required: bool, limits: &Limits) -> Result<()> {
    const ISSUERS: &str = "/rules/provenanceIssuers";
    if required && issuers.is_empty() {
        let why = "Where provenance is required, provenanceIssuers says whose counts.";
        return Err(Error::value("/rules/provenanceRequired", why));
    }
    if issuers.len() > ISSUERS_MAX {
        return Err(Error::too_large(ISSUERS, format!("At most {ISSUERS_MAX} issuers.")));
    }
    let mut keys = Vec::new();
    for (index, issuer) in issuers.iter().enumerate() {
        let field = |member: &str| format!("{ISSUERS}/{index}/{member}");
        check_name(&field("name"), &issuer.name, limits)?;
        if issuers[..index].iter().any(|other| other.name == issuer.name) {
            return Err(Error::value(field("name"), "Another issuer of the policy has this name."));
        }
        let key = known(issuer).filter(|_| issuer.public_key.len() <= 8 * TEXT_MAX).ok_or_else(|| {
            let why = "A public key in PEM (-----BEGIN PUBLIC KEY-----) of Ed25519, ECDSA or RSA, and nothing else.";
            Error::value(field("publicKey"), why)
        })?;
        // Its signatures would be those of either, and nobody could tell which name is meant.
        if keys.contains(&key.key().to_vec()) {
            return Err(Error::value(field("publicKey"), "Another issuer of the policy has this key."));
        }
        keys.push(key.key().to_vec());
        if issuer.builder_ids.len() > BUILDERS_MAX {
            return Err(Error::too_large(field("builderIds"), format!("At most {BUILDERS_MAX} builders.")));
        }
        for (at, builder) in issuer.builder_ids.iter().enumerate() {
            let field = field(&format!("builderIds/{at}"));
            if builder.is_empty() {
                return Err(Error::value(field, "A builder is named as provenance names it: by a URI."));
            }
            check_text(&field, builder)?;
        }
    }
    Ok(())
}

fn known(issuer: &ProvenanceIssuer) -> Option<Issuer> {
    Issuer::new(&issuer.name, &issuer.public_key, &issuer.builder_ids)
}

/// What the provenance has to be of. A digest that is not the file's own tells nothing of the file.
fn built(contents: &Contents, policy: &Policy) -> Result<Built> {
    let digests = match contents {
        Contents::One { payload: Some(payload), .. } => return Ok(Built::Payload(Arc::clone(payload))),
        Contents::One { digest, payload: None, .. } => vec![digest.as_bytes().to_vec()],
        Contents::Each(items) => items.iter().map(|item| item.digest.clone()).collect(),
    };
    if container(policy.choice.format).is_some() {
        let why = "Provenance names a file by the digest of all its bytes, and the digest of this format leaves some of them \
                   out: upload the file with it.";
        return Err(Error::value(FIELD, why));
    }
    Ok(Built::Digests(policy.choice.hash, digests))
}

fn verified(envelope: Vec<u8>, built: &Built, rules: &[ProvenanceIssuer]) -> Result<Proven> {
    let issuers: Option<Vec<_>> = rules.iter().map(known).collect();
    let issuers = issuers.ok_or_else(|| Error::internal("the policy has an issuer whose key cannot be read"))?;
    let opened = Provenance::open(&envelope, &issuers);
    let (issuer, provenance) =
        opened.map_err(|why| Error::value(FIELD, format!("This is no provenance that counts: {why}.")))?;
    let (with, digests) = match built {
        Built::Payload(payload) => (HashType::Sha2_256, vec![hash(HashType::Sha2_256, payload).as_bytes().to_vec()]),
        Built::Digests(with, digests) => (*with, digests.clone()),
    };
    let subjects = provenance.digests(with);
    if let Some(missing) = digests.iter().find(|digest| !subjects.contains(digest.as_slice())) {
        let why =
            format!("It is not of this file: none of its subjects has the {with} digest {}.", hexadecimal(missing));
        return Err(Error::value(FIELD, why));
    }
    Ok(Proven { shown: shown(&provenance, issuer, &envelope)?, envelope })
}

/// What people are shown of it; nothing that would look like something else.
fn shown(provenance: &Provenance, issuer: &Issuer, envelope: &[u8]) -> Result<Shown> {
    let sha256 = |bytes: &[u8]| hexadecimal(hash(HashType::Sha2_256, bytes).as_bytes());
    let sources = provenance.sources.iter().take(SOURCES_SHOWN).map(source);
    let shown = Shown {
        issuer: issuer.name.clone(),
        issuer_key_sha256: sha256(issuer.key()),
        predicate_type: provenance.predicate_type.clone(),
        builder_id: provenance.builder_id.clone(),
        build_type: provenance.build_type.clone(),
        invocation_id: provenance.invocation_id.clone(),
        started_on: provenance.started_on.clone(),
        finished_on: provenance.finished_on.clone(),
        sources: sources.collect(),
        sources_total: u32::try_from(provenance.sources.len()).unwrap_or(u32::MAX),
        envelope_sha256: sha256(envelope),
    };
    let Shown { builder_id, build_type, invocation_id, started_on, finished_on, .. } = &shown;
    let texts = [Some(builder_id), Some(build_type), invocation_id.as_ref(), started_on.as_ref(), finished_on.as_ref()];
    let of_sources = shown.sources.iter().flat_map(|ProvenanceSource { name, uri, digest }| {
        name.iter().chain(uri).chain(digest.iter().flat_map(|(name, value)| [name, value]))
    });
    for text in texts.into_iter().flatten().chain(of_sources) {
        check_text(FIELD, text)?;
    }
    Ok(shown)
}

fn source(material: &Material) -> ProvenanceSource {
    let Material { name, uri, digest } = material.clone();
    ProvenanceSource { name, uri, digest: digest.into_iter().take(DIGESTS_SHOWN).collect() }
}

fn check_text(field: &str, text: &str) -> Result<()> {
    if text.len() > TEXT_MAX {
        let start: String = text.chars().take(40).collect();
        return Err(Error::too_large(
            field,
            format!("A text that begins with {start:?} has more than {TEXT_MAX} bytes."),
        ));
    }
    check_shown(field, text)
}
