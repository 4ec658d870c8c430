//! Windows installers: compound files, whose signature is a stream of its own.

use std::{
    cmp::Ordering,
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
};

use cfb::CompoundFile;

use crate::{Existing, Unfit, der};

const SIGNATURE: &str = "\u{5}DigitalSignature";
/// A digest of the streams' properties, which some tools sign besides. It would not fit the new signature.
const EXTENDED: &str = "\u{5}MsiDigitalSignatureEx";
const NOT_MSI: Unfit = Unfit("The file is no Windows installer: it is not a sound compound file.");
/// Storages in storages: more than any installer has.
const DEPTH_MAX: usize = 32;

/// An installer.
pub(crate) struct Installer {
    file: CompoundFile<Cursor<Vec<u8>>>,
    hashed: Vec<Vec<u8>>,
}

impl Installer {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unfit> {
        let mut file = CompoundFile::open(Cursor::new(bytes.to_vec())).map_err(|_| NOT_MSI)?;
        let (mut hashed, mut room) = (Vec::new(), bytes.len());
        hash_storage(&mut file, Path::new("/"), 0, &mut room, &mut hashed)?;
        Ok(Self { file, hashed })
    }

    /// The streams in the order of their names, and after those of each storage its class id.
    pub(crate) fn hashed(&self) -> impl Iterator<Item = &[u8]> {
        self.hashed.iter().map(Vec::as_slice)
    }

    pub(crate) fn finish(mut self, cms: &[u8], existing: Existing) -> Result<Vec<u8>, Unfit> {
        let nested = match existing {
            Existing::Append if self.file.is_stream(SIGNATURE) => {
                let present = read_stream(&mut self.file, Path::new(SIGNATURE), &mut usize::MAX.clone())?;
                Some(der::nest(&present, cms)?)
            }
            Existing::Append | Existing::Replace => None,
        };
        let unwritable = |_| Unfit("The installer has no place for a signature.");
        for name in [SIGNATURE, EXTENDED] {
            if self.file.exists(name) {
                self.file.remove_stream(name).map_err(unwritable)?;
            }
        }
        let mut stream = self.file.create_stream(SIGNATURE).map_err(unwritable)?;
        stream.write_all(nested.as_deref().unwrap_or(cms)).map_err(unwritable)?;
        stream.flush().map_err(unwritable)?;
        drop(stream);
        self.file.flush().map_err(unwritable)?;
        Ok(self.file.into_inner().into_inner())
    }
}

fn hash_storage(
    file: &mut CompoundFile<Cursor<Vec<u8>>>,
    path: &Path,
    depth: usize,
    room: &mut usize,
    hashed: &mut Vec<Vec<u8>>,
) -> Result<(), Unfit> {
    if depth > DEPTH_MAX {
        return Err(NOT_MSI);
    }
    let mut children: Vec<(Vec<u8>, PathBuf, bool)> = Vec::new();
    for entry in file.read_storage(path).map_err(|_| NOT_MSI)? {
        if depth > 0 || ![SIGNATURE, EXTENDED].contains(&entry.name()) {
            let name = entry.name().encode_utf16().flat_map(u16::to_le_bytes).collect();
            children.push((name, entry.path().to_owned(), entry.is_stream()));
        }
    }
    children.sort_by(|one, other| order(&one.0, &other.0));
    for (_, path, is_stream) in children {
        if is_stream {
            hashed.push(read_stream(file, &path, room)?);
        } else {
            hash_storage(file, &path, depth + 1, room, hashed)?;
        }
    }
    let class = file.entry(path).map_err(|_| NOT_MSI)?.clsid().to_bytes_le();
    hashed.push(class.to_vec());
    Ok(())
}

/// Names byte by byte; where one begins with the other, the shorter first.
fn order(one: &[u8], other: &[u8]) -> Ordering {
    let both = one.len().min(other.len());
    one[..both].cmp(&other[..both]).then(one.len().cmp(&other.len()))
}

/// A stream's content. All streams together are no longer than the file, whatever its directory says.
fn read_stream(file: &mut CompoundFile<Cursor<Vec<u8>>>, path: &Path, room: &mut usize) -> Result<Vec<u8>, Unfit> {
    let stream = file.open_stream(path).map_err(|_| NOT_MSI)?;
    let len = usize::try_from(stream.len()).ok().filter(|len| len <= room).ok_or(NOT_MSI)?;
    *room -= len;
    let mut content = Vec::new();
    stream.take(len as u64).read_to_end(&mut content).map_err(|_| NOT_MSI)?;
    if content.len() == len { Ok(content) } else { Err(NOT_MSI) }
}
