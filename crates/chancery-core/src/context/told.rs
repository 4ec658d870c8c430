//! How far this process itself has told of what ends, beside the marks in the store. A node whose clock is ahead moves those so
//! far that one whose clock is right takes them back: by them alone both would tell of the same again at each look.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chancery_store::Tx;
use futures::future::BoxFuture;
use uuid::Uuid;

use super::{Context, storage::Background};
use crate::Result;

/// A moment, and the last one of what ends then.
pub(crate) type Reached = (i64, Uuid);

/// How far ahead a mark may be: the clock that is right may be behind the one that told before.
pub(crate) const AHEAD_S: i64 = 3_600;
pub(crate) const AHEAD_MS: i64 = 1_000 * AHEAD_S;

/// By the names of the marks.
#[derive(Default)]
pub(crate) struct Told(Mutex<HashMap<String, Reached>>);

impl Told {
    /// How far it was told last.
    fn by(&self, mark: &str) -> Option<Reached> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(mark).copied()
    }

    /// It was told up to here, and that is written down.
    fn reached(&self, mark: String, reached: Reached) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(mark, reached);
    }
}

impl Context {
    /// Tells of what is new since a mark, some of it in each transaction, until there is no more. `look` is given how far this
    /// process has told before, and says how far it has now, and whether there may be more.
    pub(crate) async fn tell<L>(&self, task: &impl Background, mark: &str, look: L) -> Result<()>
    where
        L: for<'t> Fn(&'t mut Tx, Option<Reached>) -> BoxFuture<'t, Result<(Reached, bool)>> + Clone + Send + 'static,
    {
        loop {
            let (look, own) = (look.clone(), self.told.by(mark));
            let (reached, more) = self.storage.background(task, move |tx| look(tx, own)).await?;
            self.told.reached(mark.to_owned(), reached);
            if !more {
                return Ok(());
            }
        }
    }
}
