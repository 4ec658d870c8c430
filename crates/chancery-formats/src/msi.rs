//! Windows installers: compound files, whose signature is a stream of its own.

use std::{
    cmp::Ordering,
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use cfb::{CompoundFile, OpenOptions};

use crate::{
    Error, Existing, Unfit, der,
    hash::{Hash, Running},
    source::{Input, PIECE, Source, Target},
};

const SIGNATURE: &str = "\u{5}DigitalSignature";
/// A digest of the streams' properties, which some tools sign besides. It would not fit the new signature.
const EXTENDED: &str = "\u{5}MsiDigitalSignatureEx";
const NOT_MSI: Unfit = Unfit("The file is no Windows installer: it is not a sound compound file.");
/// Storages in storages: more than any installer has.
const DEPTH_MAX: usize = 32;
/// More than any signature has, however often it was signed.
const SIGNATURE_MAX: u64 = 64 << 20;

/// An installer.
pub(crate) struct Installer<'a> {
    input: Input<'a>,
}

impl<'a> Installer<'a> {
    pub(crate) fn read(source: &'a dyn Source) -> Result<Self, Error> {
        let input = Input::new(source, NOT_MSI)?;
        open(input.cursor())?;
        Ok(Self { input })
    }

    /// Of the streams in the order of their names, and after those of each storage its class id.
    pub(crate) fn digest(&self, hash: Hash) -> Result<Vec<u8>, Error> {
        let mut running = hash.begin();
        // All streams together are no longer than the file, whatever its directory says.
        let mut room = self.input.len;
        hash_storage(&mut open(self.input.cursor())?, Path::new("/"), 0, &mut room, &mut running)?;
        Ok(running.finish())
    }

    pub(crate) fn finish(&self, cms: &[u8], existing: Existing, target: &mut dyn Target) -> Result<(), Error> {
        self.input.copy(0..self.input.len, target)?;
        target.seek(SeekFrom::Start(0))?;
        let mut file = open(target)?;
        let nested = match existing {
            Existing::Append if file.is_stream(SIGNATURE) => Some(der::nest(&signature(&mut file)?, cms)?),
            Existing::Append | Existing::Replace => None,
        };
        for name in [SIGNATURE, EXTENDED] {
            if file.exists(name) {
                file.remove_stream(name).map_err(unwritable)?;
            }
        }
        let mut stream = file.create_stream(SIGNATURE).map_err(unwritable)?;
        stream.write_all(nested.as_deref().unwrap_or(cms)).map_err(unwritable)?;
        stream.flush().map_err(unwritable)?;
        drop(stream);
        file.flush().map_err(unwritable)
    }
}

fn open<F: Read + Seek>(file: F) -> Result<CompoundFile<F>, Error> {
    OpenOptions::new().max_buffer_size(PIECE).open_with(file).map_err(unsound)
}

/// Fails where the file is read or written: the file's own faults look the same, apart from their kind.
fn unsound(error: std::io::Error) -> Error {
    Error::of_file(error, NOT_MSI)
}

fn unwritable(error: std::io::Error) -> Error {
    Error::of_file(error, Unfit("The installer has no place for a signature."))
}

fn hash_storage<F: Read + Seek>(
    file: &mut CompoundFile<F>,
    path: &Path,
    depth: usize,
    room: &mut u64,
    running: &mut Running,
) -> Result<(), Error> {
    if depth > DEPTH_MAX {
        return Err(NOT_MSI.into());
    }
    let mut children: Vec<(Vec<u8>, PathBuf, bool)> = Vec::new();
    for entry in file.read_storage(path).map_err(unsound)? {
        if depth > 0 || ![SIGNATURE, EXTENDED].contains(&entry.name()) {
            let name = entry.name().encode_utf16().flat_map(u16::to_le_bytes).collect();
            children.push((name, entry.path().to_owned(), entry.is_stream()));
        }
    }
    children.sort_by(|one, other| order(&one.0, &other.0));
    for (_, path, is_stream) in children {
        if is_stream {
            hash_stream(file, &path, room, running)?;
        } else {
            hash_storage(file, &path, depth + 1, room, running)?;
        }
    }
    running.update(&file.entry(path).map_err(unsound)?.clsid().to_bytes_le());
    Ok(())
}

/// Names byte by byte; where one begins with the other, the shorter first.
fn order(one: &[u8], other: &[u8]) -> Ordering {
    let both = one.len().min(other.len());
    one[..both].cmp(&other[..both]).then(one.len().cmp(&other.len()))
}

fn hash_stream<F: Read + Seek>(
    file: &mut CompoundFile<F>,
    path: &Path,
    room: &mut u64,
    running: &mut Running,
) -> Result<(), Error> {
    let mut stream = file.open_stream(path).map_err(unsound)?;
    let len = stream.len();
    *room = room.checked_sub(len).ok_or(NOT_MSI)?;
    let mut buffer = vec![0; PIECE.min(usize::try_from(len).unwrap_or(PIECE))];
    let mut left = len;
    while left > 0 {
        let piece = buffer.len().min(usize::try_from(left).unwrap_or(PIECE));
        stream.read_exact(&mut buffer[..piece]).map_err(unsound)?;
        running.update(&buffer[..piece]);
        left -= piece as u64;
    }
    Ok(())
}

/// The signature that is there.
fn signature<F: Read + Seek>(file: &mut CompoundFile<F>) -> Result<Vec<u8>, Error> {
    let stream = file.open_stream(SIGNATURE).map_err(unsound)?;
    let len = stream.len();
    if len > SIGNATURE_MAX {
        return Err(Unfit("The installer's signature is larger than 64 MiB.").into());
    }
    let mut content = Vec::new();
    stream.take(len).read_to_end(&mut content).map_err(unsound)?;
    if content.len() as u64 == len { Ok(content) } else { Err(NOT_MSI.into()) }
}
