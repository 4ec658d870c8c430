//! Java archives (JAR File Specification, "Signed JAR File"): the manifest has the digest of every entry, the signature
//! file those of the manifest and of its sections, and the signature block signs the signature file.

mod manifest;

use std::collections::HashSet;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    Error, Existing, Unfit, cms,
    contents::{Contents, ENTRIES_MAX, FileKind, SIGNATURE_LEN_MAX, SIGNATURES_MAX},
    hash::Hash,
    source::{Source, Target},
    zip::{Archive, Entry},
};
use manifest::{CREATED_BY, Manifest, Raw, line};

const MANIFEST: &str = "META-INF/MANIFEST.MF";
/// The signer's files are called so; at most eight characters.
const SIGNER: &str = "CHANCERY";
/// More signers of one archive than anybody has.
const SIGNERS_MAX: usize = 99;
/// What a manifest has at most besides, and how many times the archive's length: each entry that it names takes more of
/// the archive than of the manifest, but for packed names. It is written unpacked, so it may not be packed without
/// measure.
const MANIFEST_MORE_MAX: u64 = 1 << 20;
const MANIFEST_RATIO_MAX: u64 = 4;
const MANIFEST_LEN_MAX: u64 = 64 << 20;
/// Bytes of its main section that are looked at for people.
const MAIN_SHOWN_MAX: usize = 64 << 10;

/// An archive with its manifest and its new signature file.
pub(crate) struct Jar<'a> {
    archive: Archive<'a>,
    signer: String,
    /// A new one; `None` where the archive's own stays as it is, with what others have signed.
    manifest: Option<Vec<u8>>,
    signature_file: Vec<u8>,
}

impl<'a> Jar<'a> {
    pub(crate) fn read(source: &'a dyn Source, hash: Hash, existing: Existing) -> Result<Self, Error> {
        let archive = Archive::read(source)?;
        let text = manifest_of(&archive)?;
        match existing {
            Existing::Append if archive.entries.iter().any(|entry| is_signature_file(&entry.name)) => {
                Self::beside(archive, as_text(&text)?, hash)
            }
            Existing::Append | Existing::Replace => Self::anew(archive, &text, hash),
        }
    }

    /// The only signature.
    fn anew(archive: Archive<'a>, text: &[u8], hash: Hash) -> Result<Self, Error> {
        let mut old = Manifest::read(text)?;
        let mut manifest = old.main.clone().into_bytes();
        let main_len = manifest.len();
        let mut sections = String::new();
        for entry in signed_entries(&archive) {
            let mut content = hash.begin();
            archive.content(entry, |piece| content.update(piece))?;
            let others = old.sections.remove(&entry.name).unwrap_or_default();
            let digest = STANDARD.encode(content.finish());
            let section = format!("{}{others}{}\r\n", line("Name", &entry.name)?, line(&digest_name(hash), &digest)?);
            manifest.extend_from_slice(section.as_bytes());
            sections += &signed_section(&entry.name, section.as_bytes(), hash)?;
        }
        // Of packages, which may be sealed and have versions, and of what is elsewhere: programs go by them.
        for (name, others) in old.sections.iter().filter(|(name, others)| !others.is_empty() && !is_signature(name)) {
            let section = format!("{}{others}\r\n", line("Name", name)?);
            manifest.extend_from_slice(section.as_bytes());
            sections += &signed_section(name, section.as_bytes(), hash)?;
        }
        let signature_file = signature_file(&manifest[..main_len], &manifest, &sections, hash)?;
        Ok(Self { archive, signer: SIGNER.to_owned(), manifest: Some(manifest), signature_file })
    }

    /// One more signature of what is signed already. The manifest stays as it is: the other signatures are over it.
    fn beside(archive: Archive<'a>, text: &str, hash: Hash) -> Result<Self, Error> {
        let signature_file = covered(&archive, text, hash)?;
        let signer = free_name(&archive).ok_or(Unfit("The archive has too many signatures to add one."))?;
        Ok(Self { archive, signer, manifest: None, signature_file })
    }

    /// What is signed.
    pub(crate) fn signature_file(&self) -> &[u8] {
        &self.signature_file
    }

    /// What the archive says of itself.
    pub(crate) fn contents(&self) -> Contents {
        let mut contents = Contents::new(FileKind::Archive);
        contents.entries_total = Some(self.archive.entries.len() as u64);
        for entry in self.archive.entries.iter().take(ENTRIES_MAX) {
            contents.entry(&entry.name, entry.len);
        }
        let text = manifest_of(&self.archive).unwrap_or_default();
        if let Some(old) = Manifest::read(&text).ok().filter(|_| !text.trim_ascii().is_empty()) {
            let main = &old.main[..old.main.floor_char_boundary(MAIN_SHOWN_MAX)];
            contents.is_cut |= main.len() < old.main.len();
            for (name, value) in manifest::attributes(main).unwrap_or_default() {
                contents.property(&name, &value);
            }
        }
        let blocks: Vec<_> = self.archive.entries.iter().filter(|entry| is_block(&entry.name)).collect();
        let too_large = Unfit("The signature is larger than 1 MiB.");
        // No more are unpacked than are shown.
        for block in blocks.iter().take(SIGNATURES_MAX) {
            contents.signature(self.archive.bytes(block, SIGNATURE_LEN_MAX, too_large).unwrap_or_default());
        }
        contents.signatures_total = blocks.len() as u64;
        contents
    }

    /// Answers what is to be found in the archive again.
    pub(crate) fn finish(self, cms: &[u8], target: &mut dyn Target) -> Result<Signed, Error> {
        let Self { archive, signer, manifest, signature_file } = self;
        let block = format!("META-INF/{signer}.{}", cms::block_ending(cms)?);
        let signed = Signed { file: format!("META-INF/{signer}.SF"), signature_file, block, cms: cms.to_vec() };
        let replaces = manifest.is_some();
        let mut files = Vec::new();
        files.extend(manifest.map(|manifest| (MANIFEST.to_owned(), manifest)));
        let Signed { file, signature_file, block, cms } = &signed;
        files.extend([(file.clone(), signature_file.clone()), (block.clone(), cms.clone())]);
        // Readers of a stream want the manifest first, and what belongs to signatures before everything else: a folder in
        // front of them, as `jar` writes it, they do not see, so that `jarsigner` says that they see another archive.
        archive.with_files(&files, |name| !(replaces && is_signature(name)), is_signature, target)?;
        Ok(signed)
    }
}

/// What was put into an archive.
pub(crate) struct Signed {
    file: String,
    signature_file: Vec<u8>,
    block: String,
    cms: Vec<u8>,
}

impl Signed {
    /// Reads a signed archive as a verifier does: every entry has the digest that the manifest says, the signature file
    /// says those of the manifest's sections, and the block beside it is there.
    pub(crate) fn is_in(&self, source: &dyn Source, hash: Hash) -> Result<bool, Error> {
        let archive = Archive::read(source)?;
        let text = manifest_of(&archive)?;
        let found = |name: &str, expected: &[u8]| {
            let Some(entry) = archive.entries.iter().find(|entry| entry.name == name) else { return Ok(false) };
            Ok::<_, Error>(archive.bytes(entry, expected.len() as u64, NOT_COVERED)? == expected)
        };
        let files_are_there = found(&self.file, &self.signature_file)? && found(&self.block, &self.cms)?;
        Ok(files_are_there && covered(&archive, as_text(&text)?, hash)? == self.signature_file)
    }
}

/// A manifest that stays as it is.
fn as_text(manifest: &[u8]) -> Result<&str, Unfit> {
    let why =
        "The archive's manifest is not UTF-8, or a line of it is cut inside a character: no signature can be added.";
    std::str::from_utf8(manifest).map_err(|_| Unfit(why))
}

/// The signature file over a manifest as it is, which has to cover every entry.
fn covered(archive: &Archive<'_>, text: &str, hash: Hash) -> Result<Vec<u8>, Error> {
    let mut manifest = Raw::read(text)?;
    let mut sections = String::new();
    for entry in signed_entries(archive) {
        let section = manifest.sections.remove(&entry.name).ok_or(NOT_COVERED)?;
        check_content(archive, entry, section)?;
        sections += &signed_section(&entry.name, section.as_bytes(), hash)?;
    }
    for (name, section) in manifest.sections.iter().filter(|(name, _)| !is_signature(name)) {
        sections += &signed_section(name, section.as_bytes(), hash)?;
    }
    Ok(signature_file(manifest.main.as_bytes(), text.as_bytes(), &sections, hash)?)
}

const NOT_COVERED: Unfit = Unfit(
    "The archive's manifest has no SHA-2 digest, or a wrong one, of some entry. A signature can only be added to an \
     archive that is wholly signed; it can be replaced.",
);

/// What a signature covers.
fn signed_entries<'x>(archive: &'x Archive<'_>) -> impl Iterator<Item = &'x Entry> {
    archive.entries.iter().filter(|entry| !entry.name.ends_with('/') && !is_signature(&entry.name))
}

/// Whether all digests that a section of the manifest has are those of the entry.
fn check_content(archive: &Archive<'_>, entry: &Entry, section: &str) -> Result<(), Error> {
    let attributes = manifest::attributes(section)?;
    let stated = |hash: Hash| {
        let mut found = attributes.iter().filter(move |(name, _)| name.eq_ignore_ascii_case(&digest_name(hash)));
        found.next().map(|(_, value)| (hash, value))
    };
    let stated: Vec<_> = Hash::ALL.into_iter().filter_map(stated).collect();
    let mut running: Vec<_> = stated.iter().map(|(hash, _)| hash.begin()).collect();
    archive.content(entry, |piece| running.iter_mut().for_each(|one| one.update(piece)))?;
    let right = running.into_iter().zip(&stated).all(|(one, (_, value))| STANDARD.encode(one.finish()) == **value);
    if right && !stated.is_empty() { Ok(()) } else { Err(NOT_COVERED.into()) }
}

fn signature_file(main: &[u8], manifest: &[u8], sections: &str, hash: Hash) -> Result<Vec<u8>, Unfit> {
    let digest = |bytes: &[u8]| STANDARD.encode(hash.of(bytes));
    let mut file = format!("Signature-Version: 1.0\r\n{CREATED_BY}");
    file += &line(&format!("{}-Manifest-Main-Attributes", digest_name(hash)), &digest(main))?;
    file += &line(&format!("{}-Manifest", digest_name(hash)), &digest(manifest))?;
    file += "\r\n";
    file += sections;
    Ok(file.into_bytes())
}

/// A section of the signature file.
fn signed_section(name: &str, section: &[u8], hash: Hash) -> Result<String, Unfit> {
    Ok(line("Name", name)? + &line(&digest_name(hash), &STANDARD.encode(hash.of(section)))? + "\r\n")
}

fn digest_name(hash: Hash) -> String {
    format!("{}-Digest", hash.name())
}

/// The manifest and what belongs to signatures, as the JDK tells it: all else it wants signed.
fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let Some(name) = name.strip_prefix("META-INF/").filter(|name| !name.contains('/')) else { return false };
    let block = [".SF", ".RSA", ".DSA", ".EC"].iter().any(|ending| name.ends_with(ending));
    let has_ending_of_one = || {
        let is_one =
            |ending: &str| (1..=3).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        name.rsplit_once('.').is_none_or(|(_, ending)| is_one(ending))
    };
    block || name == "MANIFEST.MF" || (name.starts_with("SIG-") && has_ending_of_one())
}

/// The signature itself, beside its file.
fn is_block(name: &str) -> bool {
    is_signature(name) && [".RSA", ".DSA", ".EC"].iter().any(|ending| name.to_ascii_uppercase().ends_with(ending))
}

fn is_signature_file(name: &str) -> bool {
    is_signature(name) && name.to_ascii_uppercase().ends_with(".SF")
}

/// A name that no signer's files have.
fn free_name(archive: &Archive<'_>) -> Option<String> {
    let stem = |entry: &Entry| {
        let name = entry.name.to_ascii_uppercase();
        let (stem, _) = name.strip_prefix("META-INF/")?.split_once('.')?;
        stem.starts_with(&SIGNER[..SIGNER.len() - 2]).then(|| stem.to_owned())
    };
    let taken: HashSet<_> = archive.entries.iter().filter_map(stem).collect();
    let numbered = |number: usize| {
        let number = number.to_string();
        format!("{}{number}", &SIGNER[..SIGNER.len() - number.len()])
    };
    std::iter::once(SIGNER.to_owned()).chain((2..=SIGNERS_MAX).map(numbered)).find(|name| !taken.contains(name))
}

fn manifest_of(archive: &Archive<'_>) -> Result<Vec<u8>, Error> {
    let mut found = archive.entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(MANIFEST));
    let (entry, None) = (found.next(), found.next()) else {
        return Err(Unfit("The archive has two manifests.").into());
    };
    let max = archive.len().saturating_mul(MANIFEST_RATIO_MAX).saturating_add(MANIFEST_MORE_MAX).min(MANIFEST_LEN_MAX);
    let too_large = Unfit("The archive's manifest is larger than 64 MiB, or than 4 times the archive and 1 MiB.");
    entry.map_or_else(|| Ok(Vec::new()), |entry| archive.bytes(entry, max, too_large))
}
