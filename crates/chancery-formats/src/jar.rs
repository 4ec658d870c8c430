//! Java archives (JAR File Specification, "Signed JAR File"): the manifest has the digest of every entry, the signature
//! file those of the manifest and of its sections, and the signature block signs the signature file.

mod manifest;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    Error, Existing, Unfit, der,
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
const MANIFEST_MAX: u64 = 64 << 20;

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
                Self::beside(archive, &text, hash)
            }
            Existing::Append | Existing::Replace => Self::anew(archive, &text, hash),
        }
    }

    /// The only signature.
    fn anew(archive: Archive<'a>, text: &str, hash: Hash) -> Result<Self, Error> {
        let old = Manifest::read(text)?;
        let mut manifest = old.main.clone().into_bytes();
        let main_len = manifest.len();
        let mut sections = String::new();
        for entry in signed_entries(&archive) {
            let mut content = hash.begin();
            archive.content(entry, |piece| content.update(piece))?;
            let others = old.sections.get(&entry.name).map_or("", String::as_str);
            let digest = STANDARD.encode(content.finish());
            let section = format!("{}{others}{}\r\n", line("Name", &entry.name)?, line(&digest_name(hash), &digest)?);
            manifest.extend_from_slice(section.as_bytes());
            sections += &signed_section(&entry.name, section.as_bytes(), hash)?;
        }
        let signature_file = signature_file(&manifest[..main_len], &manifest, &sections, hash)?;
        Ok(Self { archive, signer: SIGNER.to_owned(), manifest: Some(manifest), signature_file })
    }

    /// One more signature of what is signed already. The manifest stays as it is: the other signatures are over it.
    fn beside(archive: Archive<'a>, text: &str, hash: Hash) -> Result<Self, Error> {
        let manifest = Raw::read(text)?;
        let mut sections = String::new();
        for entry in signed_entries(&archive) {
            let section = manifest.section(&entry.name).ok_or(NOT_COVERED)?;
            check_content(&archive, entry, section)?;
            sections += &signed_section(&entry.name, section.as_bytes(), hash)?;
        }
        let signature_file = signature_file(manifest.main.as_bytes(), text.as_bytes(), &sections, hash)?;
        let signer = free_name(&archive).ok_or(Unfit("The archive has too many signatures to add one."))?;
        Ok(Self { archive, signer, manifest: None, signature_file })
    }

    /// What is signed.
    pub(crate) fn signature_file(&self) -> &[u8] {
        &self.signature_file
    }

    pub(crate) fn finish(self, cms: &[u8], target: &mut dyn Target) -> Result<(), Error> {
        let Self { archive, signer, manifest, signature_file } = self;
        let block = format!("META-INF/{signer}.{}", der::block_ending(cms)?);
        let replaces = manifest.is_some();
        let mut files = Vec::new();
        files.extend(manifest.map(|manifest| (MANIFEST.to_owned(), manifest)));
        files.extend([(format!("META-INF/{signer}.SF"), signature_file), (block, cms.to_vec())]);
        // Readers of a stream want the manifest first, and what belongs to signatures before everything else.
        let leads = |name: &str| name == "META-INF/" || is_signature(name);
        archive.with_files(&files, |name| !(replaces && is_signature(name)), leads, target)
    }
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

/// The manifest and what belongs to signatures.
fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let Some(name) = name.strip_prefix("META-INF/").filter(|name| !name.contains('/')) else { return false };
    let block = [".SF", ".RSA", ".DSA", ".EC"].iter().any(|ending| name.ends_with(ending));
    block || name == "MANIFEST.MF" || name.starts_with("SIG-")
}

fn is_signature_file(name: &str) -> bool {
    is_signature(name) && name.to_ascii_uppercase().ends_with(".SF")
}

/// A name that no signer's files have.
fn free_name(archive: &Archive<'_>) -> Option<String> {
    let taken = |name: &str| {
        let begin = format!("META-INF/{name}.");
        archive.entries.iter().any(|entry| entry.name.to_ascii_uppercase().starts_with(&begin))
    };
    let numbered = |number: usize| {
        let number = number.to_string();
        format!("{}{number}", &SIGNER[..SIGNER.len() - number.len()])
    };
    std::iter::once(SIGNER.to_owned()).chain((2..=SIGNERS_MAX).map(numbered)).find(|name| !taken(name))
}

fn manifest_of(archive: &Archive<'_>) -> Result<String, Error> {
    let mut found = archive.entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(MANIFEST));
    let (entry, None) = (found.next(), found.next()) else {
        return Err(Unfit("The archive has two manifests.").into());
    };
    let (mut text, mut len) = (Vec::new(), 0_u64);
    if let Some(entry) = entry {
        archive.content(entry, |piece| {
            len += piece.len() as u64;
            if len <= MANIFEST_MAX {
                text.extend_from_slice(piece);
            }
        })?;
    }
    if len > MANIFEST_MAX {
        return Err(Unfit("The archive's manifest is larger than 64 MiB.").into());
    }
    Ok(String::from_utf8(text).map_err(|_| Unfit("The archive's manifest is not UTF-8."))?)
}
