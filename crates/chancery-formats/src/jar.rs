//! Java archives (JAR File Specification, "Signed JAR File"): the manifest has the digest of every entry, the signature
//! file those of the manifest and of its sections, and the signature block signs the signature file.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{Hashing, Unfit, der, zip::Archive};

const MANIFEST: &str = "META-INF/MANIFEST.MF";
/// The signer's files are called so; at most eight characters.
const SIGNER: &str = "CHANCERY";
const CREATED_BY: &str = "Created-By: Chancery\r\n";
/// Bytes of a line, without its end.
const LINE_MAX: usize = 72;
const MANIFEST_MAX: u64 = 64 << 20;

/// An archive with its new manifest and signature file.
pub(crate) struct Jar<'a> {
    archive: Archive<'a>,
    manifest: Vec<u8>,
    signature_file: Vec<u8>,
}

impl<'a> Jar<'a> {
    pub(crate) fn read(file: &'a [u8], hashing: &Hashing<'_>) -> Result<Self, Unfit> {
        let archive = Archive::read(file)?;
        let old = Manifest::read(&old_manifest(&archive)?)?;
        let mut manifest = old.main.clone().into_bytes();
        let main_len = manifest.len();
        let mut sections = Vec::new();
        for entry in archive.entries.iter().filter(|entry| !entry.name.ends_with('/') && !is_signature(entry.name)) {
            let mut hash = (hashing.begin)();
            archive.content(entry, |piece| hash.update(piece))?;
            let others = old.sections.get(entry.name).map_or("", String::as_str);
            let digest = STANDARD.encode(hash.finish());
            let section = format!("{}{others}{}\r\n", line("Name", entry.name)?, line(&digest_name(hashing), &digest)?);
            manifest.extend_from_slice(section.as_bytes());
            sections.push((entry.name, section));
        }
        let digest = |bytes: &[u8]| STANDARD.encode(hashing.of([bytes]));
        let mut signature_file = format!("Signature-Version: 1.0\r\n{CREATED_BY}");
        signature_file +=
            &line(&format!("{}-Manifest-Main-Attributes", digest_name(hashing)), &digest(&manifest[..main_len]))?;
        signature_file += &line(&format!("{}-Manifest", digest_name(hashing)), &digest(&manifest))?;
        signature_file += "\r\n";
        for (name, section) in sections {
            signature_file += &line("Name", name)?;
            signature_file += &line(&digest_name(hashing), &digest(section.as_bytes()))?;
            signature_file += "\r\n";
        }
        Ok(Self { archive, manifest, signature_file: signature_file.into_bytes() })
    }

    /// What is signed.
    pub(crate) fn signature_file(&self) -> &[u8] {
        &self.signature_file
    }

    pub(crate) fn finish(self, cms: &[u8]) -> Result<Vec<u8>, Unfit> {
        let block = format!("META-INF/{SIGNER}.{}", der::block_ending(cms)?);
        let files = [
            (MANIFEST.to_owned(), self.manifest),
            (format!("META-INF/{SIGNER}.SF"), self.signature_file),
            (block, cms.to_vec()),
        ];
        self.archive.with_first(&files, |name| !is_signature(name))
    }
}

fn digest_name(hashing: &Hashing<'_>) -> String {
    format!("{}-Digest", hashing.name)
}

/// The manifest and what belongs to signatures: all of it is made anew.
fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let Some(name) = name.strip_prefix("META-INF/").filter(|name| !name.contains('/')) else { return false };
    let block = [".SF", ".RSA", ".DSA", ".EC"].iter().any(|ending| name.ends_with(ending));
    block || name == "MANIFEST.MF" || name.starts_with("SIG-")
}

fn old_manifest(archive: &Archive<'_>) -> Result<String, Unfit> {
    let mut found = archive.entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(MANIFEST));
    let (entry, None) = (found.next(), found.next()) else { return Err(Unfit("The archive has two manifests.")) };
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
        return Err(Unfit("The archive's manifest is larger than 64 MiB."));
    }
    String::from_utf8(text).map_err(|_| Unfit("The archive's manifest is not UTF-8."))
}

/// A manifest that was there before.
struct Manifest {
    /// The main section, with the empty line at its end.
    main: String,
    /// What the other sections say besides names and digests.
    sections: HashMap<String, String>,
}

impl Manifest {
    fn read(text: &str) -> Result<Self, Unfit> {
        let mut sections = text.replace("\r\n", "\n").replace('\r', "\n");
        while sections.contains("\n\n\n") {
            sections = sections.replace("\n\n\n", "\n\n");
        }
        let mut parts = sections.split("\n\n").map(str::trim_end).filter(|part| !part.is_empty());
        let main = match parts.next() {
            Some(main) if main.starts_with("Name:") => {
                return Err(Unfit("The archive's manifest has no main section."));
            }
            Some(main) => format!("{}\r\n\r\n", main.replace('\n', "\r\n")),
            None => format!("Manifest-Version: 1.0\r\n{CREATED_BY}\r\n"),
        };
        let mut sections = HashMap::new();
        for part in parts {
            let mut attributes: Vec<(String, String)> = Vec::new();
            for line in part.split('\n') {
                match (line.strip_prefix(' '), attributes.last_mut()) {
                    (Some(more), Some((_, value))) => value.push_str(more),
                    (Some(_), None) => return Err(Unfit("The archive's manifest begins a section with half a line.")),
                    (None, _) => {
                        let (name, value) =
                            line.split_once(": ").ok_or(Unfit("The archive's manifest has odd lines."))?;
                        attributes.push((name.to_owned(), value.to_owned()));
                    }
                }
            }
            let (name, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(|(name, _)| name == "Name");
            let [(_, name)] = &name[..] else { return Err(Unfit("A section of the archive's manifest has no name.")) };
            let others = others.iter().filter(|(name, _)| !name.to_ascii_uppercase().contains("-DIGEST"));
            let others = others.map(|(name, value)| line(name, value)).collect::<Result<String, _>>()?;
            sections.insert(name.clone(), others);
        }
        Ok(Self { main, sections })
    }
}

/// An attribute, in lines of at most 72 bytes, the further ones beginning with a space.
fn line(name: &str, value: &str) -> Result<String, Unfit> {
    if value.chars().any(char::is_control) {
        return Err(Unfit("The archive has an entry or a manifest with control characters."));
    }
    let mut text = String::new();
    let mut len = 0;
    for symbol in format!("{name}: {value}").chars() {
        if len + symbol.len_utf8() > LINE_MAX {
            text.push_str("\r\n ");
            len = 1;
        }
        text.push(symbol);
        len += symbol.len_utf8();
    }
    Ok(text + "\r\n")
}
