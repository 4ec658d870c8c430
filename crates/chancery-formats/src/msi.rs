//! Windows installers: compound files, whose signature is a stream of its own.

mod contents;

use crate::{
    Error, Existing, Unfit, cms,
    compound::{Change, Compound, Entry, Node, Storage},
    hash::{Hash, Running},
    source::{Source, Target},
};

const SIGNATURE: &str = "\u{5}DigitalSignature";
/// A digest of the streams' properties, which some tools sign besides: it stands in front of what is hashed.
const EXTENDED: &str = "\u{5}MsiDigitalSignatureEx";
/// More than any signature has, however often it was signed.
const SIGNATURE_MAX: u64 = 64 << 20;
/// As many bytes as the longest hash.
const EXTENDED_MAX: u64 = 64;

/// An installer.
pub(crate) struct Installer<'a> {
    file: Compound<'a>,
    hash: Hash,
    /// The names of the two streams in UTF-16.
    names: [Vec<u8>; 2],
    /// The signature that is there and stays.
    kept: Option<Vec<u8>>,
    /// The digest of properties that it is over, and that the new one has to be over as well.
    extended: Option<Vec<u8>>,
}

impl<'a> Installer<'a> {
    pub(crate) fn read(source: &'a dyn Source, hash: Hash, existing: Existing) -> Result<Self, Error> {
        let file = Compound::read(source)?;
        let names = [SIGNATURE, EXTENDED].map(utf16);
        let mut installer = Self { file, hash, names, kept: None, extended: None };
        let [signature, extended] = [installer.special(0)?, installer.special(1)?];
        if existing == Existing::Append && signature.is_some() {
            (installer.kept, installer.extended) = (signature, extended);
            installer.check_extended()?;
        }
        Ok(installer)
    }

    /// Of the streams in the order of their names, and after those of each storage its class id.
    pub(crate) fn digest(&self) -> Result<Vec<u8>, Error> {
        let mut running = self.hash.begin();
        running.update(self.extended.as_deref().unwrap_or_default());
        self.hash_storage(&self.file.root, true, &mut running)?;
        Ok(running.finish())
    }

    /// Writes the file anew; answers the signature that it has now.
    pub(crate) fn finish(&self, cms: &[u8], target: &mut dyn Target) -> Result<Vec<u8>, Error> {
        let signature = match &self.kept {
            Some(kept) => cms::nest(kept, cms)?,
            None => cms.to_vec(),
        };
        let contents = [Some(signature.as_slice()), self.extended.as_deref()];
        let changes = [0, 1].map(|index| Change { name: &self.names[index], content: contents[index] });
        self.file.write(&changes, target)?;
        Ok(signature)
    }

    /// The signature that is there.
    pub(crate) fn signature(&self) -> Result<Option<Vec<u8>>, Error> {
        self.special(0)
    }

    /// What the signature may add to the file, apart from its own length: a sector, entries of the tables.
    pub(crate) const fn overhead(cms_len: u64) -> u64 {
        cms_len / 64 + (64 << 10)
    }

    /// The content of one of the two streams.
    fn special(&self, index: usize) -> Result<Option<Vec<u8>>, Error> {
        let node = self.file.root.children.iter().find(|node| node.entry().name() == self.names[index]);
        let (max, too_large) = match index {
            0 => (SIGNATURE_MAX, Unfit("The installer's signature is larger than 64 MiB.")),
            _ => (EXTENDED_MAX, Unfit("The installer's MsiDigitalSignatureEx is longer than any hash.")),
        };
        match node {
            None => Ok(None),
            Some(Node::Stream(stream)) => self.file.bytes(stream, max, too_large).map(Some),
            Some(Node::Storage(_)) => Err(Unfit("The installer's signature is a storage, not a stream.").into()),
        }
    }

    /// Whether the signature that stays is over the properties that are there, and under the hash of the new one: a
    /// verifier takes all signatures of a file for signatures over the same.
    fn check_extended(&self) -> Result<(), Error> {
        let Some(stated) = &self.extended else { return Ok(()) };
        let mut running = self.hash.begin();
        hash_properties(&self.file, &self.file.root, true, &mut running);
        let found = running.finish();
        if stated.len() != found.len() {
            let message = "The installer's signature covers its properties too (MsiDigitalSignatureEx), under another hash: \
                           only one under that hash can be appended.";
            return Err(Unfit(message).into());
        }
        if *stated != found {
            let message = "The installer's properties are not those that its signature covers (MsiDigitalSignatureEx): \
                           nothing can be appended to it.";
            return Err(Unfit(message).into());
        }
        Ok(())
    }

    fn hash_storage(&self, storage: &Storage, is_root: bool, running: &mut Running) -> Result<(), Error> {
        for node in hashed(storage, is_root) {
            match node {
                Node::Storage(storage) => self.hash_storage(storage, false, running)?,
                Node::Stream(stream) => self.file.content(stream, |piece| {
                    running.update(piece);
                    Ok(())
                })?,
            }
        }
        running.update(&storage.entry.clsid());
        Ok(())
    }
}

/// What is hashed of a storage, in the order of hashing: names byte by byte; where one begins with the other, the shorter
/// first.
fn hashed(storage: &Storage, is_root: bool) -> Vec<&Node> {
    let special = [SIGNATURE, EXTENDED].map(utf16);
    let mut nodes: Vec<_> = storage
        .children
        .iter()
        .filter(|node| !is_root || special.iter().all(|name| node.entry().name() != name))
        .collect();
    nodes.sort_by(|one, other| one.entry().name().cmp(other.entry().name()));
    nodes
}

/// What `MsiDigitalSignatureEx` is the hash of: names, class ids, lengths, states and times.
fn hash_properties(file: &Compound<'_>, storage: &Storage, is_root: bool, running: &mut Running) {
    let named = |entry: &Entry, own: &[u8], running: &mut Running| {
        running.update(entry.name());
        running.update(own);
        running.update(&entry.state_bits());
        running.update(&entry.times());
    };
    if is_root {
        running.update(&storage.entry.clsid());
        running.update(&storage.entry.state_bits());
    } else {
        named(&storage.entry, &storage.entry.clsid(), running);
    }
    for node in hashed(storage, is_root) {
        match node {
            // 32 bits of its length.
            Node::Stream(stream) => named(stream, &file.len(stream).to_le_bytes()[..4], running),
            Node::Storage(storage) => hash_properties(file, storage, false, running),
        }
    }
}

fn utf16(name: &str) -> Vec<u8> {
    name.encode_utf16().flat_map(u16::to_le_bytes).collect()
}
