//! How far this process itself has told of what ends, beside the marks in the store. A node whose clock is ahead moves those so
//! far that one whose clock is right takes them back: by them alone both would tell of the same again at each look.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use uuid::Uuid;

/// A moment, and the last one of what ends then.
pub(crate) type Reached = (i64, Uuid);

/// By the names of the marks.
#[derive(Default)]
pub(crate) struct Told(Mutex<HashMap<String, Reached>>);

impl Told {
    /// How far it was told last.
    pub(crate) fn by(&self, mark: &str) -> Option<Reached> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(mark).copied()
    }

    /// It was told up to here, and that is written down.
    pub(crate) fn reached(&self, mark: String, reached: Reached) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(mark, reached);
    }
}
