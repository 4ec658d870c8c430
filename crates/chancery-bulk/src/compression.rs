//! gzip and zstd. Every piece of the output is a member (RFC 1952) or a frame (RFC 8878) of its own, so that the file can be
//! cut behind each, and is the same whether it was written in one go or not.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write as _},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::{Compression as Level, bufread::GzDecoder, write::GzEncoder};
use serde::Serialize;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

/// Tokens hardly shrink, whatever is tried: rather fast than small.
const GZIP_LEVEL: u32 = 3;
const ZSTD_LEVEL: i32 = 1;

/// Bytes that are read from a file at a time.
const BUFFER: usize = 256 * 1024;

impl Compression {
    /// What the name of an output says.
    pub(crate) fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            Some(_) | None => Self::None,
        }
    }

    /// A piece of the output.
    pub(crate) fn compress(self, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Self::None => Ok(piece),
            Self::Gzip => {
                let mut member = GzEncoder::new(Vec::with_capacity(piece.len() / 2), Level::new(GZIP_LEVEL));
                member.write_all(&piece)?;
                member.finish()
            }
            Self::Zstd => {
                let mut frames = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
                // As gzip has it, and the tool of the format: else a changed byte may be read as other text.
                frames.include_checksum(true)?;
                frames.compress(&piece)
            }
        }
    }
}

/// Counts what is read of a file, as it lies on the disk.
struct Counted<R> {
    input: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Members of gzip one behind the other, and zeros behind the last, with which tapes and block devices fill up: gzip(1)
/// reads over them.
struct Members<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(mut input) = self.member.take().map(GzDecoder::into_inner) else { break };
            let mut is_padded = false;
            while let Some(zeros) = zeros(input.fill_buf()?) {
                is_padded = true;
                input.consume(zeros);
            }
            match input.fill_buf()? {
                [] => {}
                _ if is_padded => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "there is something behind zeros"));
                }
                _ => self.member = Some(GzDecoder::new(input)),
            }
        }
        Ok(0)
    }
}

/// How many zeros that begins with, if any.
fn zeros(bytes: &[u8]) -> Option<usize> {
    Some(bytes.iter().take_while(|byte| **byte == 0).count()).filter(|count| *count > 0)
}

/// The plain bytes of an input, whatever it is compressed with; and how many of its own were read.
pub(crate) struct Plain {
    input: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
    /// Set where the plain bytes are the file's own.
    file: Option<File>,
}

impl Plain {
    /// Of a file, which may be rewound while nothing but its first bytes were looked at.
    pub(crate) fn of_file(file: File) -> io::Result<Self> {
        let own = file.try_clone()?;
        let (compression, plain) = Self::of(file)?;
        Ok(Self { file: (compression == Compression::None).then_some(own), ..plain })
    }

    pub(crate) fn of_stream(input: impl Read + Send + 'static) -> io::Result<Self> {
        Ok(Self::of(input)?.1)
    }

    fn of(input: impl Read + Send + 'static) -> io::Result<(Compression, Self)> {
        let read = Arc::new(AtomicU64::new(0));
        let mut input = BufReader::with_capacity(BUFFER, Counted { input, read: Arc::clone(&read) });
        let head = input.fill_buf()?;
        let compression = match head {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // Skippable frames (RFC 8878, 3.1.2) may stand first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => return Err(other("bzip2")),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => return Err(other("xz")),
            [b'P', b'K', 3, 4, ..] => return Err(other("ZIP")),
            _ => Compression::None,
        };
        let input: Box<dyn Read + Send> = match compression {
            Compression::None => Box::new(input),
            Compression::Gzip => Box::new(Members { member: Some(GzDecoder::new(input)) }),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(input)?),
        };
        Ok((compression, Self { input, read, file: None }))
    }

    /// How many bytes of the input itself were read.
    pub(crate) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Goes on at a place of the plain bytes, from the beginning.
    pub(crate) fn at(mut self, place: u64) -> io::Result<Self> {
        if let Some(mut file) = self.file.take() {
            io::Seek::seek(&mut file, io::SeekFrom::Start(place))?;
            let read = Arc::new(AtomicU64::new(place));
            let input = Box::new(Counted { input: file, read: Arc::clone(&read) });
            return Ok(Self { input, read, file: None });
        }
        let skipped = io::copy(&mut self.input.by_ref().take(place), &mut io::sink())?;
        if skipped == place { Ok(self) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

fn other(kind: &str) -> io::Error {
    let why = format!("it is compressed with {kind}, which is not read here: unpack it, or use gzip or zstd");
    io::Error::new(io::ErrorKind::InvalidData, why)
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The library of zstd calls damaged content no other name.
        let damaged = |error: io::Error| {
            if error.kind() == io::ErrorKind::Other { io::Error::new(io::ErrorKind::InvalidData, error) } else { error }
        };
        self.input.read(buffer).map_err(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_same_in_other_letters() {
        let found = ["a.csv.gz", "a.csv.GZ", "a.csv.Zst", "a.csv"].map(|name| Compression::of_name(Path::new(name)));
        assert_eq!(found, [Compression::Gzip, Compression::Gzip, Compression::Zstd, Compression::None]);
    }

    #[test]
    fn a_bit_that_was_changed_is_found() {
        let text: String = (0..500).map(|number| format!("{number},4{:015}\n", number * 7_919)).collect();
        for compression in [Compression::Gzip, Compression::Zstd] {
            let whole = compression.compress(text.clone().into()).unwrap();
            for at in (0..whole.len()).step_by(7) {
                let mut changed = whole.clone();
                changed[at] ^= 1 << (at % 8);
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(&changed).unwrap();
                io::Seek::rewind(&mut file).unwrap();
                let mut read = String::new();
                let plain = Plain::of_file(file).and_then(|plain| plain.at(0));
                let outcome = plain.and_then(|mut plain| plain.read_to_string(&mut read));
                let is_damage = |error: &io::Error| {
                    [io::ErrorKind::InvalidData, io::ErrorKind::InvalidInput, io::ErrorKind::UnexpectedEof]
                        .contains(&error.kind())
                };
                assert!(outcome.as_ref().err().is_none_or(is_damage), "{compression:?} {at}: {outcome:?}");
                assert!(outcome.is_err() || read == text || read.as_bytes() == changed, "{compression:?} {at}");
            }
        }
    }

    #[test]
    fn what_others_put_around_is_read_over() {
        let read = |parts: &[&[u8]]| {
            let mut text = String::new();
            let input = io::Cursor::new(parts.concat());
            Plain::of_stream(input).and_then(|mut plain| plain.read_to_string(&mut text)).map(|_| text)
        };
        for (head, kind) in [(&b"BZh91AY&SY"[..], "bzip2"), (b"\xfd7zXZ\0\0\x04", "xz"), (b"PK\x03\x04", "ZIP")] {
            assert!(read(&[head]).unwrap_err().to_string().contains(kind));
        }
        let [gzip, zstd] = [Compression::Gzip, Compression::Zstd].map(|one| one.compress(b"text".to_vec()).unwrap());
        assert_eq!(read(&[&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3], &zstd]).unwrap(), "text");
        assert_eq!(read(&[&gzip, &gzip, &[0; 10_000]]).unwrap(), "texttext");
        assert!(read(&[&gzip, &[0; 512], &gzip]).is_err() && read(&[&gzip, b"x"]).is_err());
    }

    #[test]
    fn pieces_are_read_as_one_text_from_any_place() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let pieces = ["one ", "", "two ", "three"].map(|piece| compression.compress(piece.into()).unwrap());
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&pieces.concat()).unwrap();
            for place in [0, 4, 13] {
                io::Seek::rewind(&mut file).unwrap();
                let mut text = String::new();
                let plain = Plain::of_file(file.try_clone().unwrap()).unwrap();
                plain.at(place).unwrap().read_to_string(&mut text).unwrap();
                assert_eq!(text, "one two three"[usize::try_from(place).unwrap()..], "{compression:?}");
            }
        }
    }
}
