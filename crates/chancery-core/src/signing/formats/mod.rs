//! The forms that a signature can take, one file each. Pure: bytes in, bytes out; the key is used in between.

pub(crate) mod raw;

use std::sync::Arc;

use chancery_keys::{Digest, Input, SignatureScheme};
use chancery_types::SigningFormat;
use chancery_x509::{
    authenticode, cms,
    tsp::{RFC3161_COUNTERSIGNATURE, TIME_STAMP_TOKEN},
};
use der::{Any, Decode};
use x509_cert::attr::Attribute;

use super::program::Program;
use crate::{Error, Result};

/// What is signed, and when.
#[derive(Debug)]
pub(crate) struct Content {
    /// The payload's digest.
    pub(crate) digest: Digest,
    /// The payload, where [`needs_payload`] says so.
    pub(crate) payload: Option<Arc<Vec<u8>>>,
    /// The hashes of a program's pages, where they are signed too.
    pub(crate) page_hashes: Option<Vec<u8>>,
    /// What Windows shows of the program.
    pub(crate) program: Option<Program>,
    /// When, in milliseconds since the epoch.
    pub(crate) at_ms: i64,
}

/// A signature that is complete but for what the key adds.
#[derive(Debug)]
pub(crate) enum Unsigned {
    Raw(raw::Unsigned),
    Cms(Box<cms::Unsigned>),
}

/// Whether a signature needs the payload itself; otherwise its digest is enough.
pub(crate) const fn needs_payload(format: SigningFormat, scheme: SignatureScheme) -> bool {
    match format {
        SigningFormat::Raw => !scheme.signs_digests(),
        SigningFormat::Cms
        | SigningFormat::Authenticode
        | SigningFormat::JavaJar
        | SigningFormat::Powershell
        | SigningFormat::Msi => false,
    }
}

/// Builds everything but the signature. `chain` is the signing certificate first, the root last, in DER.
pub(crate) fn prepare(
    format: SigningFormat,
    scheme: SignatureScheme,
    chain: Vec<Vec<u8>>,
    content: Content,
) -> Result<Unsigned> {
    match format {
        SigningFormat::Raw => raw::prepare(scheme, content.digest, content.payload)
            .map(Unsigned::Raw)
            .ok_or_else(|| Error::internal("the payload that this scheme needs is not there")),
        // A JAR's signature block is a CMS over its signature file, whose digest this is.
        SigningFormat::Cms | SigningFormat::JavaJar => {
            let signed = cms::Signed::detached(&chain, content.digest.as_bytes()).map_err(Error::internal)?;
            cms(scheme, chain, signed, content.at_ms)
        }
        SigningFormat::Authenticode | SigningFormat::Powershell | SigningFormat::Msi => {
            let algorithm = scheme.digest_algorithm_identifier();
            let pages = content.page_hashes.as_deref();
            let signed =
                authenticode::indirect_data(format, &algorithm, &content.digest, pages, content.program.as_ref());
            let signed = signed.map_err(Error::internal)?;
            cms(scheme, chain, signed, content.at_ms)
        }
    }
}

fn cms(scheme: SignatureScheme, chain: Vec<Vec<u8>>, signed: cms::Signed, at_ms: i64) -> Result<Unsigned> {
    let signer = cms::Signer {
        chain,
        digest_algorithm: scheme.digest_algorithm_identifier(),
        signature_algorithm: scheme.cms_algorithm_identifier(),
    };
    let unsigned = cms::prepare(signer, signed, at_ms).map_err(Error::internal)?;
    Ok(Unsigned::Cms(Box::new(unsigned)))
}

/// A time stamp as an attribute of a signature.
pub(crate) fn time_stamp(format: SigningFormat, token: &[u8]) -> Result<Attribute> {
    let oid = match format {
        SigningFormat::Raw | SigningFormat::Cms | SigningFormat::JavaJar => TIME_STAMP_TOKEN,
        SigningFormat::Authenticode | SigningFormat::Powershell | SigningFormat::Msi => RFC3161_COUNTERSIGNATURE,
    };
    let token = Any::from_der(token).map_err(Error::internal)?;
    cms::attribute(oid, &token).map_err(Error::internal)
}

impl Unsigned {
    /// What the key has to sign.
    pub(crate) fn input(&self) -> Input<'_> {
        match self {
            Self::Raw(raw) => raw.input(),
            Self::Cms(cms) => Input::Message(cms.to_be_signed()),
        }
    }

    /// The finished signature; bare ones have no room for a time stamp, and no policy asks for one.
    pub(crate) fn finish(self, signature: Vec<u8>, time_stamp: Option<Attribute>) -> Result<Vec<u8>> {
        match self {
            Self::Raw(_) => Ok(signature),
            Self::Cms(cms) => cms.assemble(&signature, time_stamp).map_err(Error::internal),
        }
    }
}
