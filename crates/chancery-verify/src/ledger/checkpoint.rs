//! Checkpoints of the ledger: those of C2SP tlog-checkpoint, with extension lines that link each to the one before and say
//! how far the journals of the data plane went.

use chancery_types::Base64;
use sha2::{Digest as _, Sha256};

use crate::log::{
    Checkpoint, LogKey, NotSigned,
    tree::{self, Hash},
};

/// How far a journal of the data plane went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalAnchor {
    /// The journal's id.
    pub journal: String,
    /// SEGMENT:RECORD:HASH.
    pub head: String,
}

/// A checkpoint of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerCheckpoint {
    /// The ledger's name, how many leaves there are, and the root over them.
    pub head: Checkpoint,
    /// Which one, from 0.
    pub number: u64,
    /// When it was made (RFC 3339).
    pub time: String,
    /// The hash of the text of the one before; of the first one zeros.
    pub previous: Hash,
    /// So many leaves, the first ones, may have no records any more: their time was over.
    pub removed: u64,
    /// Of those, so many are there still, since they stay at hand for good.
    pub kept: u64,
    /// The journals that the database knew of.
    pub journals: Vec<JournalAnchor>,
}

impl LedgerCheckpoint {
    /// The first one of a ledger, over nothing.
    #[must_use]
    pub fn first(origin: &str, time: String) -> Self {
        let head = Checkpoint { origin: origin.to_owned(), size: 0, root: tree::empty_root() };
        Self { head, number: 0, time, previous: [0; 32], removed: 0, kept: 0, journals: Vec::new() }
    }

    /// The text that is signed.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Self { head, number, time, previous, removed, kept, journals } = self;
        let previous = Base64::encode(previous);
        let mut first = format!("{}checkpoint {number}\ntime {time}\nprevious {previous}\n", head.to_text());
        if *removed > 0 {
            first.push_str(&format!("removed {removed} but {kept}\n"));
        }
        journals.iter().fold(first, |text, anchor| format!("{text}journal {} {}\n", anchor.journal, anchor.head))
    }

    /// What the next one has as `previous`.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Sha256::digest(self.to_text()).into()
    }

    /// Reads a checkpoint that this key has signed, whoever else has signed it too.
    ///
    /// # Errors
    ///
    /// [`NotSigned`] says why it is not believed.
    pub fn open(note: &str, key: &LogKey) -> Result<Self, NotSigned> {
        let text = key.open(note)?;
        let checkpoint = Self::read(text).filter(|checkpoint| checkpoint.to_text() == text).ok_or(NotSigned::Form)?;
        if checkpoint.head.origin == key.name() { Ok(checkpoint) } else { Err(NotSigned::Unknown) }
    }

    fn read(text: &str) -> Option<Self> {
        let head = Checkpoint::read(text)?;
        let mut lines = text.lines().skip(3).peekable();
        let number = lines.next()?.strip_prefix("checkpoint ")?.parse().ok()?;
        let time = lines.next()?.strip_prefix("time ")?.to_owned();
        let Base64(previous) = Base64::decode(lines.next()?.strip_prefix("previous ")?)?;
        let removed = lines.next_if(|line| line.starts_with("removed "));
        let removed = removed.map(|line| {
            let (removed, kept) = line.strip_prefix("removed ")?.split_once(" but ")?;
            Some((removed.parse().ok()?, kept.parse().ok()?))
        });
        let (removed, kept) = removed.unwrap_or(Some((0, 0)))?;
        let anchor = |line: &str| {
            let (journal, head) = line.strip_prefix("journal ")?.split_once(' ')?;
            Some(JournalAnchor { journal: journal.to_owned(), head: head.to_owned() })
        };
        let journals = lines.map(anchor).collect::<Option<_>>()?;
        Some(Self { head, number, time, previous: previous.try_into().ok()?, removed, kept, journals })
    }
}
