//! What a signature says itself of what was signed, and how: nothing of that is believed of a bundle, though a bundle shows
//! it too.

use chancery_keys::{Digest, NamedAlgorithm, named_hash};
use chancery_types::{HashType, SigningFormat, wire::signing_requests::SigningRequest};
use chancery_x509::{
    authenticode::{Program, SPC_INDIRECT_DATA, file_digest, indirect_data},
    cms::{SignedData, SignerInfo},
    tsp::is_time_stamp,
};

use crate::{cms, cms::NotVerified};

/// What follows from the last approval of a request, in words of the interface.
#[must_use]
pub fn signature_consequence(format: SigningFormat, hash: HashType, rsa_pss: bool, time_stamp: bool) -> String {
    let words = [
        Some("Signature"),
        Some(format.as_str()),
        Some(hash.as_str()),
        rsa_pss.then_some("rsaPss"),
        time_stamp.then_some("timeStamp"),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// How a signature was made, as it says itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureFacts {
    /// None of a raw signature, which does not say it.
    pub(crate) is_rsa_pss: Option<bool>,
    pub(crate) is_stamped: bool,
}

impl SignatureFacts {
    /// Reads the signature of a request, and holds what is shown of it against it: its hash, the program's name and address,
    /// and the hashes of pages.
    ///
    /// # Errors
    ///
    /// [`NotVerified::Shown`] where something else is signed than is shown.
    pub fn read(request: &SigningRequest) -> Result<Self, NotVerified> {
        let shown = [
            (request.page_hashes.is_some(), "pageHashes"),
            (request.program_name.is_some(), "programName"),
            (request.program_url.is_some(), "programUrl"),
        ];
        let refuse_shown = |places: &[usize]| match places.iter().map(|place| shown[*place]).find(|(is, _)| *is) {
            Some((_, what)) => Err(NotVerified::Shown(what)),
            None => Ok(()),
        };
        let format = request.signing_format;
        match format {
            // They carry none of it, so a bundle that shows some shows what nobody signed.
            SigningFormat::Raw | SigningFormat::Cms | SigningFormat::JavaJar => refuse_shown(&[0, 1, 2])?,
            SigningFormat::Msi | SigningFormat::Powershell => refuse_shown(&[0])?,
            SigningFormat::Authenticode => {}
        }
        if format == SigningFormat::Raw {
            return Ok(Self { is_rsa_pss: None, is_stamped: false });
        }
        let (signed, signer) = cms::read(&request.signature.0)?;
        // In a signature the two lengths of SHAKE256 are one hash.
        let is_shown = match named_hash(&signer.digest_algorithm) {
            Some(HashType::Shake256 | HashType::Shake256_64) => {
                matches!(request.hash_algorithm, HashType::Shake256 | HashType::Shake256_64)
            }
            found => found == Some(request.hash_algorithm),
        };
        if !is_shown {
            return Err(NotVerified::Shown("hashAlgorithm"));
        }
        if !matches!(format, SigningFormat::Cms | SigningFormat::JavaJar) {
            check_shown(request, &signed, &signer)?;
        }
        let named = NamedAlgorithm::read(&signer.signature_algorithm, None);
        let unsigned = signer.unsigned_attrs.iter().flat_map(|attributes| attributes.iter());
        Ok(Self {
            is_rsa_pss: Some(named.is_some_and(|named| named.is_rsa_pss())),
            is_stamped: unsigned.into_iter().any(is_time_stamp),
        })
    }

    /// What approvers may have been told of a signature that is made so.
    pub(crate) fn consequences(self, request: &SigningRequest) -> Vec<String> {
        let hash = request.hash_algorithm;
        // RSA signs over SHAKE by RSASSA-PSS alone, whether a policy says so or not.
        let is_shake = matches!(hash, HashType::Shake128 | HashType::Shake256 | HashType::Shake256_64);
        let may_say = |pss: bool| self.is_rsa_pss.is_none_or(|is| is == pss || is && is_shake);
        let all = [(false, false), (false, true), (true, false), (true, true)].into_iter();
        // A stamp that nobody was told of takes nothing away; one that was announced is there.
        all.filter(|(pss, stamp)| may_say(*pss) && (!stamp || self.is_stamped))
            .map(|(pss, stamp)| signature_consequence(request.signing_format, hash, pss, stamp))
            .collect()
    }
}

/// Whether a signature over a file that carries it inside is what is made of what is shown, and nothing else.
fn check_shown(request: &SigningRequest, signed: &SignedData, signer: &SignerInfo) -> Result<(), NotVerified> {
    let found = signed.enclosed_any(SPC_INDIRECT_DATA).ok_or(NotVerified::Form)?;
    if file_digest(found).is_none_or(|(_, digest)| digest != request.digest.0) {
        return Err(NotVerified::Content);
    }
    let digest = Digest::new(request.hash_algorithm, &request.digest.0).map_err(|_| NotVerified::Content)?;
    let program = Program { name: request.program_name.clone(), url: request.program_url.clone() };
    let pages = request.page_hashes.as_ref().map(|pages| pages.0.as_slice());
    let made = indirect_data(request.signing_format, &signer.digest_algorithm, &digest, pages, Some(&program));
    let made = made.map_err(|_| NotVerified::Form)?;
    if made.content.as_ref() != Some(found) {
        return Err(NotVerified::Shown("pageHashes"));
    }
    for attribute in &made.attributes {
        let mut same = signer.signed_attrs.iter().filter(|found| found.oid == attribute.oid);
        if same.next() != Some(attribute) || same.next().is_some() {
            return Err(NotVerified::Shown("programName or programUrl"));
        }
    }
    Ok(())
}
