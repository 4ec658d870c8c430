//! Files that carry their signature inside: PE images, Windows installers, PowerShell scripts, JARs.
//!
//! A file is signed in two steps, so that only a digest needs to travel: [`File::read`] finds what is to be hashed,
//! [`File::finish`] puts the CMS that was made for that digest in its place. The same file, hash and CMS always give the
//! same bytes, whoever finishes.
//!
//! What a file says of itself ([`File::contents`]) is for people who decide whether it shall be signed.
//!
//! Files are read and written a piece at a time, from a slice or a file on disk. Every byte that is read here may come from
//! an enemy: nothing panics, loops without end or takes memory because a file says so; the work is in proportion to the
//! file, and what is written no more than the file, the signature and a little. What is no such file, or cannot be signed
//! without changing its meaning, is [`Unfit`]. A signed file is read again as a verifier reads it before it counts.

mod cms;
mod compound;
mod contents;
mod hash;
mod jar;
mod msi;
mod pe;
mod powershell;
mod source;
mod zip;

use std::{
    cell::OnceCell,
    fmt,
    io::{self, Cursor, SeekFrom},
};

pub use contents::{Contents, FileKind};
pub use hash::Hash;
pub use pe::is_page_hashes;
use source::{Bounded, Written};
pub use source::{Source, Target};

/// A signed file is at most so many times as long as the file, and this much longer, whatever its format: the digests of
/// an archive of very many empty files take the most.
const SIGNED_RATIO_MAX: u64 = 9;
const SIGNED_MORE_MAX: u64 = 2 << 20;

/// As much of a CMS as there is before it is made: one signer with an RSA key, who signs nothing.
const STAND_IN: &[u8] =
    b"\x30\x26\x06\x01\x2a\xa0\x21\x30\x1f\x02\x01\x01\x31\x1a\x30\x18\x02\x01\x01\x30\x00\x30\x00\xa0\x00\
    \x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Portable Executables: exe, dll, sys.
    Pe,
    /// Windows installers: compound files.
    Msi,
    /// PowerShell scripts: ps1, psm1, psd1.
    Powershell,
    /// Java archives.
    Jar,
}

/// What becomes of a signature that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// The new one takes its place.
    #[default]
    Replace,
    /// It stays valid: in PE images and installers the new one is nested in it, in JARs it is put beside it. A script has
    /// one signature.
    Append,
}

/// Why a file cannot be signed: a sentence for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit(pub &'static str);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unfit {}

/// Why a file was not signed.
#[derive(Debug)]
pub enum Error {
    /// It cannot be.
    Unfit(Unfit),
    /// It could not be read, or the signed one not be written.
    Io(io::Error),
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Self {
        Self::Unfit(unfit)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfit(unfit) => unfit.fmt(f),
            Self::Io(_) => f.write_str("the file could not be read or written"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unfit(_) => None,
            Self::Io(error) => Some(error),
        }
    }
}

/// A file that can be signed.
pub struct File<'a> {
    kind: Kind<'a>,
    hash: Hash,
    existing: Existing,
    len: u64,
    digest: OnceCell<Vec<u8>>,
}

enum Kind<'a> {
    Pe(pe::Image<'a>),
    Msi(Box<msi::Installer<'a>>),
    Powershell(powershell::Script),
    Jar(jar::Jar<'a>),
}

/// What a signed file has to have in it.
enum Embedded {
    /// This signature.
    Signature(Format, Vec<u8>),
    /// These files.
    Files(jar::Signed),
}

impl<'a> File<'a> {
    /// Reads a file that is to be signed with this hash.
    ///
    /// # Errors
    /// What keeps it from being signed.
    pub fn read(format: Format, source: &'a dyn Source, hash: Hash, existing: Existing) -> Result<Self, Error> {
        let kind = match format {
            Format::Pe => Kind::Pe(pe::Image::read(source)?),
            Format::Msi => Kind::Msi(Box::new(msi::Installer::read(source, hash, existing)?)),
            Format::Powershell if existing == Existing::Append => {
                return Err(Unfit("Scripts have one signature; the existing one can only be replaced.").into());
            }
            Format::Powershell => Kind::Powershell(powershell::Script::read(source)?),
            Format::Jar => Kind::Jar(jar::Jar::read(source, hash, existing)?),
        };
        Ok(Self { kind, hash, existing, len: source.size()?, digest: OnceCell::new() })
    }

    /// What is signed in the place of the file: the digest of the image, of the script in UTF-16, or of a JAR's
    /// signature file.
    ///
    /// # Errors
    /// What keeps the file from being signed.
    pub fn digest(&self) -> Result<Vec<u8>, Error> {
        if let Some(digest) = self.digest.get() {
            return Ok(digest.clone());
        }
        let digest = match &self.kind {
            Kind::Pe(image) => image.digest(self.hash)?,
            Kind::Msi(installer) => installer.digest()?,
            Kind::Powershell(script) => script.digest(self.hash),
            Kind::Jar(jar) => self.hash.of(jar.signature_file()),
        };
        Ok(self.digest.get_or_init(|| digest).clone())
    }

    /// The hashes of an image's pages, which can be signed together with its digest.
    ///
    /// # Errors
    /// What keeps the file from being signed so.
    pub fn page_hashes(&self) -> Result<Vec<u8>, Error> {
        match &self.kind {
            Kind::Pe(image) => image.page_hashes(),
            Kind::Msi(_) | Kind::Powershell(_) | Kind::Jar(_) => Err(Unfit("Only programs have pages.").into()),
        }
    }

    /// Writes the file with a CMS that was made for its digest, and reads it again as a verifier does: it has this
    /// signature and the digest that it had. What was written when that fails is of no use.
    ///
    /// # Errors
    /// Where there is no place for the CMS, or the signed file would not be read as the file was.
    pub fn finish(self, cms: &[u8], target: &mut dyn Target) -> Result<(), Error> {
        let digest = self.digest()?;
        let Self { ref kind, hash, existing, len, .. } = self;
        let mut bounded = Bounded::new(target, kind.signed_max(len, cms.len() as u64));
        let embedded = self.write(cms, &mut bounded);
        let embedded = match embedded {
            Err(_) if bounded.is_exceeded() => {
                return Err(Unfit("The signed file would be far longer than the file.").into());
            }
            embedded => embedded?,
        };
        target.seek(SeekFrom::Start(0))?;
        let written = Written::new(target);
        let is_same = match &embedded {
            Embedded::Files(signed) => signed.is_in(&written, hash)?,
            Embedded::Signature(format, signature) => {
                let again = File::read(*format, &written, hash, existing)?;
                again.signature()?.is_some_and(|found| is_filled_up(&found, signature)) && again.digest()? == digest
            }
        };
        let changed =
            Unfit("The signed file would be read otherwise than the file was, so no verifier would accept it.");
        if is_same { Ok(()) } else { Err(changed.into()) }
    }

    /// Looks whether the file has a place for a signature, by putting one into a copy of it.
    ///
    /// # Errors
    /// As of [`finish`](Self::finish).
    pub fn try_finish(self) -> Result<(), Error> {
        self.finish(STAND_IN, &mut Cursor::new(Vec::new()))
    }

    fn write(self, cms: &[u8], target: &mut dyn Target) -> Result<Embedded, Error> {
        Ok(match self.kind {
            Kind::Pe(image) => Embedded::Signature(Format::Pe, image.finish(cms, self.existing, target)?),
            Kind::Msi(installer) => Embedded::Signature(Format::Msi, installer.finish(cms, target)?),
            Kind::Powershell(script) => {
                target.write_all(&script.finish(cms))?;
                Embedded::Signature(Format::Powershell, cms.to_vec())
            }
            Kind::Jar(jar) => Embedded::Files(jar.finish(cms, target)?),
        })
    }

    /// The signature that is in the file.
    fn signature(&self) -> Result<Option<Vec<u8>>, Error> {
        match &self.kind {
            Kind::Pe(image) => image.signature(),
            Kind::Msi(installer) => installer.signature(),
            Kind::Powershell(script) => Ok(script.signature().map(<[u8]>::to_vec)),
            Kind::Jar(_) => Ok(None),
        }
    }
}

/// Whether a place has this signature. Images fill it up to eight bytes.
fn is_filled_up(found: &[u8], signature: &[u8]) -> bool {
    found.strip_prefix(signature).is_some_and(|zeros| zeros.len() < 8 && zeros.iter().all(|byte| *byte == 0))
}

impl Kind<'_> {
    /// How long a signed file may be.
    fn signed_max(&self, len: u64, cms_len: u64) -> u64 {
        let any = len.saturating_mul(SIGNED_RATIO_MAX).saturating_add(SIGNED_MORE_MAX);
        let more = match self {
            Kind::Pe(_) => cms_len.saturating_add(pe::OVERHEAD_MAX),
            Kind::Msi(_) => cms_len.saturating_add(msi::Installer::overhead(cms_len)),
            // Base64 in lines with their marks, in units of two bytes.
            Kind::Powershell(_) => cms_len.saturating_mul(4).saturating_add(1024),
            Kind::Jar(_) => return any.saturating_add(cms_len),
        };
        any.min(len.saturating_add(more))
    }
}
