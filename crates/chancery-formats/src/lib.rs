//! Files that carry their signature inside: PE images, Windows installers, PowerShell scripts, JARs.
//!
//! A file is signed in two steps, so that only a digest needs to travel: [`File::read`] finds what is to be hashed,
//! [`File::finish`] puts the CMS that was made for that digest in its place. The same file, hash and CMS always give the
//! same bytes, whoever finishes.
//!
//! Files are read and written a piece at a time, from a slice or a file on disk. Every byte that is read here may come from
//! an enemy: nothing panics, loops without end or takes memory because a file says so. What is no such
//! file, or cannot be signed without changing its meaning, is [`Unfit`].

mod der;
mod hash;
mod jar;
mod msi;
mod pe;
mod powershell;
mod source;
mod zip;

use std::{fmt, io};

pub use hash::Hash;
pub use pe::is_page_hashes;
pub use source::{Source, Target};

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

impl Error {
    /// A reader of formats reports the file's own faults as errors of reading; these kinds are never those of a disk.
    fn of_file(error: io::Error, unfit: Unfit) -> Self {
        use io::ErrorKind::{AlreadyExists, InvalidData, InvalidInput, NotFound, UnexpectedEof};
        if [InvalidData, InvalidInput, NotFound, UnexpectedEof, AlreadyExists].contains(&error.kind()) {
            Self::Unfit(unfit)
        } else {
            Self::Io(error)
        }
    }
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
}

enum Kind<'a> {
    Pe(pe::Image<'a>),
    Msi(msi::Installer<'a>),
    Powershell(powershell::Script),
    Jar(jar::Jar<'a>),
}

impl<'a> File<'a> {
    /// Reads a file that is to be signed with this hash.
    ///
    /// # Errors
    /// What keeps it from being signed.
    pub fn read(format: Format, source: &'a dyn Source, hash: Hash, existing: Existing) -> Result<Self, Error> {
        let kind = match format {
            Format::Pe => Kind::Pe(pe::Image::read(source)?),
            Format::Msi => Kind::Msi(msi::Installer::read(source)?),
            Format::Powershell if existing == Existing::Append => {
                return Err(Unfit("Scripts have one signature; the existing one can only be replaced.").into());
            }
            Format::Powershell => Kind::Powershell(powershell::Script::read(source)?),
            Format::Jar => Kind::Jar(jar::Jar::read(source, hash, existing)?),
        };
        Ok(Self { kind, hash, existing })
    }

    /// What is signed in the place of the file: the digest of the image, of the script in UTF-16, or of a JAR's
    /// signature file.
    ///
    /// # Errors
    /// What keeps the file from being signed.
    pub fn digest(&self) -> Result<Vec<u8>, Error> {
        match &self.kind {
            Kind::Pe(image) => image.digest(self.hash),
            Kind::Msi(installer) => installer.digest(self.hash),
            Kind::Powershell(script) => Ok(script.digest(self.hash)),
            Kind::Jar(jar) => Ok(self.hash.of(jar.signature_file())),
        }
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

    /// Writes the file with a CMS that was made for its digest. What was written when that fails is of no use.
    ///
    /// # Errors
    /// Where there is no place for the CMS.
    pub fn finish(self, cms: &[u8], target: &mut dyn Target) -> Result<(), Error> {
        match self.kind {
            Kind::Pe(image) => image.finish(cms, self.existing, target),
            Kind::Msi(installer) => installer.finish(cms, self.existing, target),
            Kind::Powershell(script) => Ok(target.write_all(&script.finish(cms))?),
            Kind::Jar(jar) => jar.finish(cms, target),
        }
    }
}
