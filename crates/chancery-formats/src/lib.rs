//! Files that carry their signature inside: PE images, Windows installers, PowerShell scripts, JARs.
//!
//! A file is signed in two steps, so that only a digest needs to travel: [`File::read`] finds what is to be hashed,
//! [`File::finish`] puts the CMS that was made for that digest in its place. The same file, hash and CMS always give the
//! same bytes, whoever finishes.
//!
//! Every byte that is read here may come from an enemy: nothing panics, loops without end or takes more memory than a few
//! times the file. What is no such file, or cannot be signed without changing its meaning, is [`Unfit`].

mod der;
mod jar;
mod msi;
mod pe;
mod powershell;
mod zip;

use std::fmt;

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
    /// The new one is nested in it. For PE images and installers only.
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

/// A running hash.
pub trait Hash {
    /// Takes the next piece of the message.
    fn update(&mut self, piece: &[u8]);
    /// The digest.
    fn finish(self: Box<Self>) -> Vec<u8>;
}

/// The hash that a file is signed with.
pub struct Hashing<'a> {
    /// As JARs name it, such as `SHA-256`.
    pub name: &'static str,
    /// Begins a message.
    pub begin: &'a dyn Fn() -> Box<dyn Hash>,
}

impl Hashing<'_> {
    fn of<'p>(&self, pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<u8> {
        let mut hash = (self.begin)();
        for piece in pieces {
            hash.update(piece);
        }
        hash.finish()
    }
}

/// A file that can be signed.
pub struct File<'a>(Kind<'a>);

enum Kind<'a> {
    Pe(pe::Image<'a>),
    Msi(msi::Installer),
    Powershell(powershell::Script<'a>),
    Jar(jar::Jar<'a>),
}

impl<'a> File<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// What keeps it from being signed.
    pub fn read(format: Format, bytes: &'a [u8], hashing: &Hashing<'_>) -> Result<Self, Unfit> {
        Ok(Self(match format {
            Format::Pe => Kind::Pe(pe::Image::read(bytes)?),
            Format::Msi => Kind::Msi(msi::Installer::read(bytes)?),
            Format::Powershell => Kind::Powershell(powershell::Script::read(bytes)?),
            Format::Jar => Kind::Jar(jar::Jar::read(bytes, hashing)?),
        }))
    }

    /// What is signed in the place of the file: the digest of the image, of the script in UTF-16, or of a JAR's
    /// signature file. `hashing` is the one that the file was read with.
    #[must_use]
    pub fn digest(&self, hashing: &Hashing<'_>) -> Vec<u8> {
        match &self.0 {
            Kind::Pe(image) => hashing.of(image.hashed()),
            Kind::Msi(installer) => hashing.of(installer.hashed()),
            Kind::Powershell(script) => hashing.of([script.hashed().as_slice()]),
            Kind::Jar(jar) => hashing.of([jar.signature_file()]),
        }
    }

    /// The file with a CMS that was made for its digest.
    ///
    /// # Errors
    /// Where there is no place for it.
    pub fn finish(self, cms: &[u8], existing: Existing) -> Result<Vec<u8>, Unfit> {
        match (self.0, existing) {
            (Kind::Pe(image), _) => image.finish(cms, existing),
            (Kind::Msi(installer), _) => installer.finish(cms, existing),
            (Kind::Powershell(script), Existing::Replace) => Ok(script.finish(cms)),
            (Kind::Jar(jar), Existing::Replace) => jar.finish(cms),
            (Kind::Powershell(_) | Kind::Jar(_), Existing::Append) => {
                Err(Unfit("Scripts and JARs have one signature here; the existing one can only be replaced."))
            }
        }
    }
}
