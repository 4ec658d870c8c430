//! The journal of the data plane: every call that tokenizes or detokenizes is in it before it is answered, with tags of its
//! tokens, so that it can be told who has read one.
//!
//! `watch` is what is done beside the calls, and `known` what the store knows of each journal; what a call does, and who asks, is
//! in `tokenization/journal`. The files are the crate chancery-journal's.

pub(crate) mod known;
mod watch;

use std::{error::Error as StdError, path::PathBuf, sync::Arc, time::Duration};

use chancery_journal::{Journal, Keys, NewKey, Opened, Options, SEGMENT_BYTES_MIN};
use chancery_keys::{Custodian, JournalKey, KeyRef, KeySpec, Purpose, SealedKey};
use chancery_types::KeyId;
use uuid::Uuid;

use crate::{Clock, context::clock_watch::STEADY};

pub(super) use self::known::{head, told_missing};
pub(crate) use self::watch::{Anchored, Found};

/// Where a process keeps its journal. One without makes no calls of the data plane.
#[derive(Clone, Debug)]
pub struct JournalConfig {
    /// The folder, of this process alone.
    pub folder: PathBuf,
    /// Bytes of a segment: what is taken from the disk at a time, twice.
    pub segment_bytes: usize,
    /// How many days records are kept.
    pub keep_days: u32,
}

impl JournalConfig {
    /// The smallest there is, for tests.
    #[must_use]
    pub const fn small(folder: PathBuf) -> Self {
        Self { folder, segment_bytes: SEGMENT_BYTES_MIN, keep_days: 1 }
    }
}

/// Makes and opens keys of journals.
pub(crate) struct JournalKeys(pub(crate) Arc<Custodian>);

const fn reference(id: Uuid) -> KeyRef {
    KeyRef { id: KeyId::from_u128(id.as_u128()), version: 1, purpose: Purpose::Journal, spec: KeySpec::Hmac256 }
}

impl Keys for JournalKeys {
    fn make(&self) -> Result<NewKey, Box<dyn StdError + Send + Sync>> {
        let id = Uuid::from_bytes(chancery_keys::random());
        let sealed = self.0.generate(reference(id))?.sealed;
        let key = self.0.open_journal_key(&sealed)?;
        Ok(NewKey { id, sealed: sealed.into_bytes(), key })
    }

    fn open(&self, id: Uuid, sealed: &[u8]) -> Result<JournalKey, Box<dyn StdError + Send + Sync>> {
        Ok(self.0.open_journal_key(&SealedKey::from_parts(reference(id), sealed.to_vec()))?)
    }
}

/// Opens the journal in its folder, or begins one there.
pub(crate) fn open_journal(
    config: &JournalConfig,
    custodian: &Arc<Custodian>,
    clock: &Clock,
) -> Result<Opened, chancery_journal::OpenError> {
    const DAY_MS: i64 = 86_400_000;
    let clock = clock.clone();
    // A clock that tests move does not jump.
    let steady = if matches!(clock, Clock::System) { STEADY } else { Duration::ZERO };
    let options = Options {
        folder: config.folder.clone(),
        segment_bytes: config.segment_bytes,
        keep_ms: i64::from(config.keep_days).saturating_mul(DAY_MS),
        steady,
        now_ms: Arc::new(move || clock.now_ms()),
    };
    Journal::open(options, &JournalKeys(Arc::clone(custodian)))
}
