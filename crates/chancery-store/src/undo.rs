//! How one of several works in a transaction on SQLite is undone, and the others are not.
//!
//! After a savepoint SQLite copies each page that is changed for the first time, which cost a third of what a signature
//! cost it. So not every work has a savepoint of its own. What a work writes without looking at the outcome is run when
//! it has ended ([`crate::Statement::later`]), and works that write nothing else share a savepoint: where one of them
//! has to be undone, what the others wrote is undone too, and written again. That makes the same rows, since nobody
//! else writes meanwhile, and what the statements say depends on nothing but what is bound to them and is stored.

use rusqlite::Connection;

use crate::sqlite::{Parameters, change, run};
use crate::{Statement, StoreError};

/// Statements that are kept to be run again; beyond them there is a new savepoint.
const KEPT_MAX: usize = 256;

/// Where the work that runs can go back to.
#[derive(Default)]
pub(crate) struct Undo {
    place: Place,
    /// Whether the transaction has the savepoint `work`.
    is_marked: bool,
    /// All that was written since the savepoint, in order; none where it was more than such statements.
    since: Option<Vec<Statement>>,
    /// How many of them were there when the work began.
    before: usize,
    /// What is written when the work has ended.
    later: Vec<Statement>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    /// The beginning of the transaction.
    #[default]
    Begin,
    /// The savepoint is where the work began.
    Own,
    /// It has written nothing.
    Nowhere,
    /// The savepoint is where another work began.
    Shared,
}

impl Undo {
    /// A work begins; to undo the first one of a transaction is to undo everything.
    pub(crate) fn begin(&mut self, is_first: bool) {
        if is_first {
            *self = Self::default();
            return;
        }
        if matches!(self.place, Place::Begin | Place::Own) {
            self.since = None;
        }
        self.place = Place::Nowhere;
        self.before = self.since.as_ref().map_or(0, Vec::len);
        self.later.clear();
    }

    /// Before a statement whose outcome the work looks at: whatever it changes is undone with this work alone, and what
    /// the work said before it is written first.
    pub(crate) fn own(&mut self, sqlite: &Connection, parameters: &mut Parameters) -> Result<(), StoreError> {
        if self.place == Place::Nowhere {
            self.mark(sqlite)?;
            self.place = Place::Own;
        }
        for statement in std::mem::take(&mut self.later) {
            change(sqlite, parameters, &statement)?;
        }
        Ok(())
    }

    /// Takes what need not be written before the work has ended.
    pub(crate) fn later(&mut self, statement: Statement) {
        self.later.push(statement);
    }

    /// Whether there is something that a statement may have to see.
    pub(crate) const fn has_later(&self) -> bool {
        !self.later.is_empty()
    }

    /// The work has ended well, but for what it has for later.
    pub(crate) fn end(&mut self, sqlite: &Connection, parameters: &mut Parameters) -> Result<(), StoreError> {
        if self.later.is_empty() {
            return Ok(());
        }
        if self.place != Place::Nowhere {
            return self.own(sqlite, parameters);
        }
        if self.since.as_ref().is_none_or(|since| since.len() >= KEPT_MAX) {
            self.mark(sqlite)?;
        }
        self.place = Place::Shared;
        let since = self.since.get_or_insert_default();
        for statement in std::mem::take(&mut self.later) {
            change(sqlite, parameters, &statement)?;
            since.push(statement);
        }
        Ok(())
    }

    /// Undoes the work, and nothing else. Not for the first one.
    pub(crate) fn undo(&mut self, sqlite: &Connection, parameters: &mut Parameters) -> Result<(), StoreError> {
        self.later.clear();
        if sqlite.is_autocommit() {
            return Err(StoreError::Unavailable("SQLite gave up the transaction (disk full, I/O error)".into()));
        }
        match self.place {
            Place::Nowhere => return Ok(()),
            // The savepoint stays.
            Place::Begin | Place::Own | Place::Shared => run(sqlite, "ROLLBACK TO work")?,
        }
        if self.place == Place::Shared {
            let since = self.since.take().unwrap_or_default();
            for statement in since.iter().take(self.before) {
                change(sqlite, parameters, statement)?;
            }
        } else {
            self.since = Some(Vec::new());
        }
        self.place = Place::Nowhere;
        Ok(())
    }

    /// Puts the savepoint here.
    fn mark(&mut self, sqlite: &Connection) -> Result<(), StoreError> {
        if self.since.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        if self.is_marked {
            run(sqlite, "RELEASE work")?;
        }
        run(sqlite, "SAVEPOINT work")?;
        self.is_marked = true;
        self.since = Some(Vec::new());
        self.before = 0;
        Ok(())
    }
}
