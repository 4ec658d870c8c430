//! Signing a file of which only the digest travels: the digest is made here, and the signature put in here.

use chancery_formats::{Existing, Format, Hash, Hashing, Unfit};
use chancery_types::{ExistingSignature, HashType, SigningFormat};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// A file whose signature goes into it.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use chancery_client::File;
/// use chancery_types::{ExistingSignature, HashType, SigningFormat};
///
/// let bytes = std::fs::read("setup.exe")?;
/// let file = File::read(SigningFormat::Authenticode, HashType::Sha2_256, &bytes)?;
/// let digest = file.digest(); // submit this, and take the signature from the request's detail
/// # let signature = Vec::new();
/// std::fs::write("setup.exe", file.finish(&signature, ExistingSignature::Replace)?)?;
/// # Ok(())
/// # }
/// ```
pub struct File<'a> {
    file: chancery_formats::File<'a>,
    hash: HashType,
}

impl<'a> File<'a> {
    /// Reads a file that a service with this format and a policy with this hash shall sign.
    ///
    /// # Errors
    ///
    /// What keeps it from being signed.
    pub fn read(format: SigningFormat, hash: HashType, bytes: &'a [u8]) -> Result<Self, Unfit> {
        let container = match format {
            SigningFormat::Authenticode => Format::Pe,
            SigningFormat::Msi => Format::Msi,
            SigningFormat::Powershell => Format::Powershell,
            SigningFormat::JavaJar => Format::Jar,
            SigningFormat::Raw | SigningFormat::Cms => {
                return Err(Unfit("Signatures of this format stand apart from their files."));
            }
        };
        Ok(Self { file: with(hash, |hashing| chancery_formats::File::read(container, bytes, hashing))??, hash })
    }

    /// What to submit as `digest`.
    #[must_use]
    pub fn digest(&self) -> Vec<u8> {
        // The hash was looked at when the file was read.
        with(self.hash, |hashing| self.file.digest(hashing)).unwrap_or_default()
    }

    /// The file with the CMS that the server made for its digest.
    ///
    /// # Errors
    ///
    /// Where there is no place for it.
    pub fn finish(self, cms: &[u8], existing: ExistingSignature) -> Result<Vec<u8>, Unfit> {
        let existing = match existing {
            ExistingSignature::Replace => Existing::Replace,
            ExistingSignature::Append => Existing::Append,
        };
        self.file.finish(cms, existing)
    }
}

struct Running<D>(D);

impl<D: Digest> Hash for Running<D> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

fn begin<D: Digest + 'static>() -> Box<dyn Hash> {
    Box::new(Running(D::new()))
}

/// Works with one of the hashes that are taken inside files.
fn with<T>(hash: HashType, work: impl FnOnce(&Hashing<'_>) -> T) -> Result<T, Unfit> {
    let hashing = match hash {
        HashType::Sha2_256 => Hashing { name: "SHA-256", begin: &begin::<Sha256> },
        HashType::Sha2_384 => Hashing { name: "SHA-384", begin: &begin::<Sha384> },
        HashType::Sha2_512 => Hashing { name: "SHA-512", begin: &begin::<Sha512> },
        HashType::Md5
        | HashType::RipeMd
        | HashType::Sha1
        | HashType::Sha2_224
        | HashType::Sha3_224
        | HashType::Sha3_256
        | HashType::Sha3_384
        | HashType::Sha3_512
        | HashType::Shake128
        | HashType::Shake256
        | HashType::Shake256_64 => {
            return Err(Unfit("Inside files the hashes Sha2_256, Sha2_384 and Sha2_512 are taken."));
        }
    };
    Ok(work(&hashing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_hashes_that_files_do_not_take() {
        let refused = |format, hash| File::read(format, hash, b"text").err().map(|unfit| unfit.to_string());
        assert!(refused(SigningFormat::Cms, HashType::Sha2_256).is_some_and(|why| why.contains("stand apart")));
        assert!(refused(SigningFormat::Powershell, HashType::Sha1).is_some_and(|why| why.contains("Sha2_384")));
        for (hash, len) in [(HashType::Sha2_256, 32), (HashType::Sha2_384, 48), (HashType::Sha2_512, 64)] {
            let file = File::read(SigningFormat::Powershell, hash, b"text").expect("a script");
            assert_eq!(file.digest().len(), len);
            let signed = file.finish(b"signature", ExistingSignature::Replace).expect("signed");
            assert!(signed.starts_with(b"text\r\n# SIG # Begin"));
        }
    }
}
