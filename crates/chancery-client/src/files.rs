//! Signing a file of which only the digest travels: the digest is made here, and the signature put in here. A file of any
//! size takes the same memory.

use std::{fs, io, path::Path};

use chancery_formats::{Error, Existing, Format, Hash, Unfit};
use chancery_types::{ExistingSignature, HashType, SigningFormat};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use crate::replace::{Readers, Writers, replace_file};

/// Bytes that are read at a time.
const PIECE: usize = 256 * 1024;

/// A file on disk whose signature goes into it. While it is signed nobody may change it.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use chancery_client::File;
/// use chancery_types::{ExistingSignature, HashType, SigningFormat};
///
/// let mut file = File::open("setup.exe", SigningFormat::Authenticode, HashType::Sha2_256, ExistingSignature::Replace)?;
/// let digest = file.digest()?; // submit this, and take the signature from the request's detail
/// # let signature = Vec::new();
/// file.finish(&signature, "signed/setup.exe")?;
/// # Ok(())
/// # }
/// ```
pub struct File {
    file: fs::File,
    format: Format,
    hash: Hash,
    existing: Existing,
    /// What was submitted.
    digest: Option<Vec<u8>>,
}

impl File {
    /// Opens a file that a service with this format and a policy with this hash shall sign.
    ///
    /// # Errors
    ///
    /// When there is no such file, or files of this format carry no signature, or none with this hash.
    pub fn open(
        path: impl AsRef<Path>,
        format: SigningFormat,
        hash: HashType,
        existing: ExistingSignature,
    ) -> Result<Self, Error> {
        Self::of(fs::File::open(path)?, format, hash, existing)
    }

    /// The same of a file that is open already.
    ///
    /// # Errors
    ///
    /// When files of this format carry no signature, or none with this hash.
    pub fn of(
        file: fs::File,
        format: SigningFormat,
        hash: HashType,
        existing: ExistingSignature,
    ) -> Result<Self, Error> {
        let format = match format {
            SigningFormat::Authenticode => Format::Pe,
            SigningFormat::Msi => Format::Msi,
            SigningFormat::Powershell => Format::Powershell,
            SigningFormat::JavaJar => Format::Jar,
            SigningFormat::Raw | SigningFormat::Cms => {
                return Err(Unfit("Signatures of this format stand apart from their files.").into());
            }
        };
        let existing = match existing {
            ExistingSignature::Replace => Existing::Replace,
            ExistingSignature::Append => Existing::Append,
        };
        Ok(Self { hash: hash_inside(hash)?, file, format, existing, digest: None })
    }

    /// What to submit as `digest`.
    ///
    /// # Errors
    ///
    /// What keeps the file from being signed.
    pub fn digest(&mut self) -> Result<Vec<u8>, Error> {
        let digest = self.read()?.digest()?;
        self.digest = Some(digest.clone());
        Ok(digest)
    }

    /// What to submit as `pageHashes` besides the digest, where pages are to be signed too (`Authenticode`).
    ///
    /// # Errors
    ///
    /// What keeps the file from being signed so.
    pub fn page_hashes(&mut self) -> Result<Vec<u8>, Error> {
        self.read()?.page_hashes()
    }

    /// Writes the file with the CMS that the server made for its digest: the whole of it or nothing, also in the place of
    /// the file itself.
    ///
    /// # Errors
    ///
    /// Where there is no place for the CMS, the file is not what it was when its digest was made, or it cannot be written.
    pub fn finish(&mut self, cms: &[u8], path: impl AsRef<Path>) -> Result<(), Error> {
        let digest = self.digest.take().map_or_else(|| self.digest(), Ok)?;
        // Two processes may sign into one place at the same time.
        let original = self.file.metadata()?;
        replace_file(path.as_ref(), Readers::Of(&original), Writers::Several, |target| {
            self.finish_into(&digest, cms, target)
        })
    }

    /// Writes the file with a CMS that was made for this digest into an empty file.
    ///
    /// # Errors
    ///
    /// Where there is no place for the CMS, the digest is another one now, or the target cannot be written. What it holds
    /// then is of no use.
    pub fn finish_into(&self, digest: &[u8], cms: &[u8], target: &mut fs::File) -> Result<(), Error> {
        let read = self.read()?;
        // The digest of what is written is compared with this one again, by whoever writes it.
        if read.digest()? != digest {
            return Err(Unfit("The file was changed while it was signed, so this is no signature of it.").into());
        }
        read.finish(cms, target)
    }

    fn read(&self) -> Result<chancery_formats::File<'_>, Error> {
        chancery_formats::File::read(self.format, &self.file, self.hash, self.existing)
    }
}

/// The hashes that are taken inside files.
fn hash_inside(hash: HashType) -> Result<Hash, Unfit> {
    match hash {
        HashType::Sha2_256 => Ok(Hash::Sha256),
        HashType::Sha2_384 => Ok(Hash::Sha384),
        HashType::Sha2_512 => Ok(Hash::Sha512),
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
        | HashType::Shake256_64 => Err(Unfit("Inside files the hashes Sha2_256, Sha2_384 and Sha2_512 are taken.")),
    }
}

/// The digest of a file whose signature stands apart from it (`CMS`, `Raw`): what to submit as `digest`.
///
/// # Errors
///
/// When the file cannot be read, or the hash is not of the SHA-2 family.
pub fn file_digest(path: impl AsRef<Path>, hash: HashType) -> Result<Vec<u8>, Error> {
    content_digest(fs::File::open(path)?, hash)
}

/// The same of what is read to its end.
///
/// # Errors
///
/// As of [`file_digest`].
pub fn content_digest(content: impl io::Read, hash: HashType) -> Result<Vec<u8>, Error> {
    Ok(match hash {
        HashType::Sha2_224 => digest_of::<Sha224>(content)?,
        HashType::Sha2_256 => digest_of::<Sha256>(content)?,
        HashType::Sha2_384 => digest_of::<Sha384>(content)?,
        HashType::Sha2_512 => digest_of::<Sha512>(content)?,
        HashType::Md5
        | HashType::RipeMd
        | HashType::Sha1
        | HashType::Sha3_224
        | HashType::Sha3_256
        | HashType::Sha3_384
        | HashType::Sha3_512
        | HashType::Shake128
        | HashType::Shake256
        | HashType::Shake256_64 => return Err(Unfit("This client computes the hashes of the SHA-2 family.").into()),
    })
}

fn digest_of<D: Digest>(mut content: impl io::Read) -> io::Result<Vec<u8>> {
    let (mut hash, mut piece) = (D::new(), vec![0; PIECE]);
    loop {
        match content.read(&mut piece) {
            Ok(0) => return Ok(hash.finalize().to_vec()),
            Ok(len) => hash.update(&piece[..len]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek as _, SeekFrom, Write as _};

    use super::*;

    const REPLACE: ExistingSignature = ExistingSignature::Replace;

    #[test]
    fn formats_and_hashes_that_files_do_not_take() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("script.ps1");
        fs::write(&path, "text").expect("written");
        let refused = |format, hash| File::open(&path, format, hash, REPLACE).err().map(|unfit| unfit.to_string());
        assert!(refused(SigningFormat::Cms, HashType::Sha2_256).is_some_and(|why| why.contains("stand apart")));
        assert!(refused(SigningFormat::Powershell, HashType::Sha1).is_some_and(|why| why.contains("Sha2_384")));
        assert!(file_digest(&path, HashType::Md5).is_err());
        for (hash, len) in [(HashType::Sha2_256, 32), (HashType::Sha2_384, 48), (HashType::Sha2_512, 64)] {
            let mut file = File::open(&path, SigningFormat::Powershell, hash, REPLACE).expect("a script");
            assert_eq!(file.digest().expect("a digest").len(), len);
            let signed = folder.path().join("signed.ps1");
            file.finish(b"signature", &signed).expect("signed");
            assert!(fs::read(signed).expect("there").starts_with(b"text\r\n# SIG # Begin"));
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.jar");
        fs::write(&path, "no archive").expect("written");
        let mut file = File::open(&path, SigningFormat::JavaJar, HashType::Sha2_256, REPLACE).expect("a file");
        assert!(matches!(file.finish(b"signature", &path), Err(Error::Unfit(_))));
        assert_eq!(fs::read(&path).expect("there"), b"no archive");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left behind");
        assert!(file.finish(b"signature", folder.path().join("no folder/x.jar")).is_err());
    }

    #[test]
    fn a_file_that_is_changed_meanwhile_is_not_signed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("script.ps1");
        fs::write(&path, "harmless").expect("written");
        let mut file = File::open(&path, SigningFormat::Powershell, HashType::Sha2_256, REPLACE).expect("a script");
        let digest = file.digest().expect("a digest");
        fs::write(&path, "evil").expect("written");
        assert!(matches!(file.finish(b"signature", &path), Err(Error::Unfit(_))));
        assert_eq!(fs::read(&path).expect("there"), b"evil");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing is left behind");
        fs::write(&path, "harmless").expect("written");
        assert_eq!(file.digest().expect("a digest"), digest);
        file.finish(b"signature", &path).expect("signed");
    }

    /// Resident bytes of this process at most, since it began.
    #[cfg(target_os = "linux")]
    fn resident_max_kib() -> u64 {
        let status = fs::read_to_string("/proc/self/status").expect("readable");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("there");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_large_file_takes_no_more_memory_than_a_small_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.exe");
        let mut header = vec![0; 0x200];
        header[..2].copy_from_slice(b"MZ");
        header[0x3c] = 0x80;
        header[0x80..0x84].copy_from_slice(b"PE\0\0");
        header[0x94] = 240;
        header[0x98..0x9a].copy_from_slice(&[0x0b, 0x02]);
        header[0x98 + 108] = 16;
        let mut sparse = fs::File::create(&path).expect("created");
        sparse.write_all(&header).expect("written");
        sparse.seek(SeekFrom::Start(1 << 30)).expect("sought");
        sparse.write_all(b"the end").expect("written");
        let mut file = File::open(&path, SigningFormat::Authenticode, HashType::Sha2_256, REPLACE).expect("a file");
        assert_eq!(file.digest().expect("a digest").len(), 32);
        // What stands apart may be larger than an image.
        sparse.set_len((1 << 32) + (1 << 29)).expect("extended");
        assert!(matches!(file.digest(), Err(Error::Unfit(_))));
        sparse.set_len(1 << 30).expect("shortened");
        assert_eq!(file_digest(&path, HashType::Sha2_256).expect("a digest").len(), 32);
        assert!(resident_max_kib() < 64 << 10, "{} KiB", resident_max_kib());
    }
}
