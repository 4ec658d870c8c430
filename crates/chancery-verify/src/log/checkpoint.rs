//! Checkpoints (c2sp.org/tlog-checkpoint): the text that the log signs over the head of its tree.

use chancery_types::Base64;

use super::note::{LogKey, NotSigned};

/// The head of a log's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The log's name.
    pub origin: String,
    /// Entries.
    pub size: u64,
    /// The hash of the root.
    pub root: [u8; 32],
}

impl Checkpoint {
    /// The text that is signed.
    pub fn to_text(&self) -> String {
        let Self { origin, size, root } = self;
        format!("{origin}\n{size}\n{}\n", Base64::encode(root))
    }

    /// Reads a checkpoint that this log has signed.
    ///
    /// # Errors
    ///
    /// [`NotSigned`] says why it is not believed.
    pub fn open(note: &str, key: &LogKey) -> Result<Self, NotSigned> {
        let checkpoint = Self::read(key.open(note)?).ok_or(NotSigned::Form)?;
        if checkpoint.origin == key.name() { Ok(checkpoint) } else { Err(NotSigned::Unknown) }
    }

    /// Reads the checkpoint of a note whoever has signed it: of one's own.
    #[must_use]
    pub fn of_note(note: &str) -> Option<Self> {
        Self::read(&note[..=note.rfind("\n\n")?])
    }

    /// Reads a text. Lines after the third are extensions, which say nothing here.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        if origin.is_empty() || lines.any(str::is_empty) {
            return None;
        }
        let number: u64 = size.parse().ok()?;
        let Base64(root) = Base64::decode(root)?;
        let canonical = number.to_string() == size;
        canonical.then_some(Self { origin: origin.to_owned(), size: number, root: root.try_into().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    const TEXT: &str = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

    #[test]
    fn the_specifications_example_is_read_and_written() {
        let checkpoint = Checkpoint::read(TEXT).unwrap();
        assert_eq!((checkpoint.origin.as_str(), checkpoint.size), ("example.com/behind-the-sofa", 20_852_163));
        assert_eq!(checkpoint.to_text(), TEXT);
        assert_eq!(Checkpoint::read(&format!("{TEXT}extension\n")), Some(checkpoint));
    }

    #[test]
    fn what_is_no_checkpoint_is_refused() {
        for text in [
            "",
            "a\n1\n",
            "\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n",
            &TEXT.replace("20852163", "020852163"),
            &TEXT.replace("20852163", "+20852163"),
            &TEXT.replace("20852163", "-1"),
            &TEXT.replace("CsUY", ""),
            &format!("{TEXT}\n"),
            TEXT.trim_end(),
        ] {
            assert_eq!(Checkpoint::read(text), None, "{text:?}");
        }
    }
}
