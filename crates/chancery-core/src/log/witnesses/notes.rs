//! Cosignatures under the checkpoints that are shown.

use chancery_store::tables::witnesses::State;

use crate::log::checkpoint::Checkpoint;

/// For how long after a cosignature the checkpoint that it is of is shown in the place of a newer one, which waits for its own. A
/// busy tree has a newer one each half second.
const SHOWN_FOR_MS: i64 = 10_000;

/// A checkpoint that is shown.
pub(crate) struct Shown {
    /// With the cosignatures that there are of it.
    pub(crate) note: String,
    pub(crate) size: i64,
}

/// A note with the lines of those who have cosigned it.
pub(crate) fn with_cosignatures(note: &str, states: &[State]) -> String {
    let lines = states.iter().filter(|state| state.checkpoint.as_deref() == Some(note));
    lines.filter_map(|state| state.cosignature.as_deref()).fold(note.to_owned(), |note, line| note + line)
}

/// The largest checkpoint that somebody has cosigned, with all cosignatures of it, and when the last one came.
pub(crate) fn cosigned(states: &[State]) -> Option<(Shown, i64)> {
    let of = |state: &State| {
        let note = state.checkpoint.clone().filter(|_| state.cosignature.is_some())?;
        let size = i64::try_from(Checkpoint::of_note(&note)?.size).ok()?;
        Some((size, note))
    };
    let (size, note) = states.iter().filter_map(of).max()?;
    let same = states.iter().filter(|state| state.checkpoint.as_ref() == Some(&note));
    let at_ms = same.filter_map(|state| state.cosigned_at_ms).max().unwrap_or_default();
    Some((Shown { note: with_cosignatures(&note, states), size }, at_ms))
}

/// What is shown of a tree whose newest checkpoint is this one, of so many leaves: that, unless witnesses have just cosigned an older
/// one.
pub(crate) fn shown(newest: &str, size: i64, states: &[State], now_ms: i64) -> Shown {
    match cosigned(states) {
        Some((cosigned, at_ms)) if cosigned.size < size && now_ms.saturating_sub(at_ms) < SHOWN_FOR_MS => cosigned,
        Some(_) | None => Shown { note: with_cosignatures(newest, states), size },
    }
}
