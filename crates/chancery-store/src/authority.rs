//! Rows that carry authority: each has a MAC over its table, its content and a version, under a key that the store never
//! sees.
//!
//! A table module lists its columns once, by [`authority!`]. From that list come the texts that write a row, the MAC in
//! the same statement, and the only way to read one: [`Authority`] gives the row's `FromColumns`, which looks at the MAC
//! before anything else. A field without a place in the list does not compile; a column of the database without one fails
//! a test.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::error;

use crate::value::Value;
use crate::{Columns, FromColumns, Statement, StoreError, Stored, Tx, sql};

/// Bytes of a tag.
pub const TAG_LEN: usize = 16;

/// Bytes of the version that stands before it.
const VERSION_LEN: usize = 8;

/// Rows that failed and are remembered: whoever forges more is told of by the log alone.
const SUSPECTS_MAX: usize = 10_000;

/// Authenticates rows, under a key that the store never sees.
pub trait RowMac: Send + Sync {
    /// The tag of these bytes.
    fn tag(&self, row: &[u8]) -> [u8; TAG_LEN];

    /// Whether this is their tag, in a time that does not tell where it differs.
    fn verify(&self, row: &[u8], tag: &[u8]) -> bool;
}

/// A table whose rows are authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns in the order of the MAC; the first `keys` of them are the primary key.
    pub columns: &'static [&'static str],
    /// See there.
    pub keys: usize,
    /// Columns that no MAC is over, because what they hold authenticates itself, as what is sealed does.
    pub apart: &'static [&'static str],
}

/// The texts that write and find rows of a table.
pub(crate) struct Texts {
    insert: String,
    insert_if_new: String,
    update: String,
    by_key: String,
    by_key_locked: String,
}

impl Texts {
    pub(crate) fn of(table: &Table) -> Self {
        let Table { name, columns, keys, apart } = *table;
        let columns = [columns, apart].concat();
        let listed = columns.join(", ");
        let numbers: Vec<_> = (1..=columns.len() + 1).map(|number| format!("${number}")).collect();
        let insert = format!("INSERT INTO {name} ({listed}, mac) VALUES ({})", numbers.join(", "));
        let is = |from: usize, until: usize| -> Vec<_> {
            (from..until).map(|column| format!("{} = ${}", columns[column], column + 1)).collect()
        };
        let found = is(0, keys).join(" AND ");
        let mut set = is(keys, columns.len());
        set.push(format!("mac = ${}", columns.len() + 1));
        let by_key = format!("SELECT {listed}, mac FROM {name} WHERE {found}");
        Self {
            insert_if_new: format!("{insert} ON CONFLICT DO NOTHING"),
            insert,
            update: format!("UPDATE {name} SET {} WHERE {found}", set.join(", ")),
            // Of two works that change a row the second sees what the first made of it.
            by_key_locked: format!("{by_key} FOR NO KEY UPDATE"),
            by_key,
        }
    }
}

impl Texts {
    /// Adds a row.
    pub(crate) fn insert(&self) -> &str {
        &self.insert
    }

    /// Adds a row unless there is one.
    pub(crate) fn insert_if_new(&self) -> &str {
        &self.insert_if_new
    }
}

/// A row that carries authority. Implemented by [`authority!`].
pub(crate) trait Authority: Sized + Send {
    /// Where it stands.
    const TABLE: Table;
    /// The table's texts.
    fn texts() -> &'static Texts;
    /// What its columns hold, in their order.
    fn values(&self) -> Vec<Value>;
    /// The row, once its MAC is found good.
    fn read(columns: &Columns) -> Result<Self, StoreError>;
}

impl<A: Authority> FromColumns for A {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.verify(&A::TABLE)?;
        A::read(columns)
    }
}

/// A row and the version in its MAC.
struct Versioned<A> {
    row: A,
    version: i64,
}

impl<A: Authority> FromColumns for Versioned<A> {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let version = columns.verify(&A::TABLE)?;
        Ok(Self { row: A::read(columns)?, version })
    }
}

/// Lists the columns of a row that carries authority: the table, how many of the first are its key, and every field in
/// the order of the MAC, which never changes. A field that is called otherwise than its column says so; what stands
/// `apart` has no MAC over it.
///
/// A column that a later release adds is NULL in the rows that are there, and goes to the end: a MAC leaves out what is
/// NULL, so theirs stay good.
macro_rules! authority {
    ($row:ty, $table:literal, keys $keys:literal, { $($field:ident $(as $column:literal)?),+ $(,)? }
        $(apart { $($apart:ident),+ })?) => {
        impl $crate::authority::Authority for $row {
            const TABLE: $crate::authority::Table = $crate::authority::Table {
                name: $table,
                keys: $keys,
                columns: &[$($crate::authority::authority!(@column $field $($column)?)),+],
                apart: &[$($(stringify!($apart)),+)?],
            };

            fn texts() -> &'static $crate::authority::Texts {
                static TEXTS: std::sync::OnceLock<$crate::authority::Texts> = std::sync::OnceLock::new();
                TEXTS.get_or_init(|| $crate::authority::Texts::of(&<Self as $crate::authority::Authority>::TABLE))
            }

            fn values(&self) -> Vec<$crate::value::Value> {
                // Every field: one that is forgotten does not compile.
                let Self { $($field),+ $($(, $apart)+)? } = self;
                vec![
                    $($crate::value::Bind::into_value(Clone::clone($field))),+
                    $($(, $crate::value::Bind::into_value(Clone::clone($apart)))+)?
                ]
            }

            fn read(columns: &$crate::Columns) -> Result<Self, $crate::StoreError> {
                Ok(Self {
                    $($field: columns.field($crate::authority::authority!(@column $field $($column)?))?),+
                    $($(, $apart: columns.field(stringify!($apart))?)+)?
                })
            }
        }
    };
    (@column $field:ident) => { stringify!($field) };
    (@column $field:ident $column:literal) => { $column };
}
pub(crate) use authority;

/// A statement that adds a row.
pub(crate) fn inserting<A: Authority>(tx: &Tx, row: &A, version: i64) -> Result<Statement, StoreError> {
    sql(&A::texts().insert).bind_row(tx, row, version)
}

/// Adds a row.
pub(crate) async fn insert<A: Authority + Sync>(tx: &mut Tx, row: &A) -> Result<(), StoreError> {
    inserting(tx, row, 1)?.execute(tx).await?;
    Ok(())
}

/// Adds a row, unless a unique constraint refuses it; whether it was added.
pub(crate) async fn insert_if_new<A: Authority + Sync>(tx: &mut Tx, row: &A) -> Result<bool, StoreError> {
    let statement = sql(&A::texts().insert_if_new).bind_row(tx, row, 1)?;
    Ok(statement.execute(tx).await? == 1)
}

/// Changes a row that is what it says, if `change` wants that; whether there was one, and it did. A row whose MAC is
/// wrong is never given a good one on the way.
pub(crate) async fn amend<A: Authority + Sync>(
    tx: &mut Tx,
    key: Vec<Value>,
    change: impl FnOnce(&mut A) -> bool + Send,
) -> Result<bool, StoreError> {
    let texts = A::texts();
    let text = if tx.takes_turns() { &texts.by_key } else { &texts.by_key_locked };
    let found: Option<Versioned<A>> = sql(text).bind_all(&key).optional(tx).await?;
    let Some(Versioned { mut row, version }) = found else { return Ok(false) };
    if !change(&mut row) {
        return Ok(false);
    }
    let statement = sql(&texts.update).bind_row(tx, &row, version + 1)?;
    Ok(statement.execute(tx).await? == 1)
}

/// Sets a row, whether there is one of its key or not.
pub(crate) async fn put<A: Authority + Sync + Clone>(tx: &mut Tx, row: &A) -> Result<(), StoreError> {
    loop {
        let (key, new) = (row.values()[..A::TABLE.keys].to_vec(), row.clone());
        let changed = amend(tx, key, move |old: &mut A| {
            *old = new;
            true
        });
        if changed.await? || insert_if_new(tx, row).await? {
            return Ok(());
        }
    }
}

/// The bytes that a MAC is made over. Every part has its length before it, so no two rows give the same.
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn of(table: &Table) -> Self {
        let mut message = Self(Vec::with_capacity(512));
        message.part(table.name.as_bytes());
        message
    }

    /// What is NULL is left out: the names of the columns that are there say so.
    pub(crate) fn column(&mut self, name: &str, value: Option<Stored<'_>>) {
        let Some(value) = value else { return };
        self.part(name.as_bytes());
        match value {
            Stored::Text(text) => self.typed(1, text.as_bytes()),
            Stored::Number(number) => self.typed(2, &number.to_be_bytes()),
            Stored::Bytes(bytes) => self.typed(3, bytes),
        }
    }

    fn typed(&mut self, kind: u8, bytes: &[u8]) {
        self.0.push(kind);
        self.part(bytes);
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn versioned(mut self, version: i64) -> Vec<u8> {
        self.0.extend_from_slice(&version.to_be_bytes());
        self.0
    }
}

/// What a row's primary key is called in messages.
pub(crate) fn id_of(key: &[Option<Stored<'_>>]) -> String {
    let mut id = String::new();
    for (number, part) in key.iter().enumerate() {
        let slash = if number == 0 { "" } else { "/" };
        let written = match part {
            None => write!(id, "{slash}NULL"),
            Some(Stored::Text(text)) => write!(id, "{slash}{}", text.escape_debug()),
            Some(Stored::Number(number)) => write!(id, "{slash}{number}"),
            Some(Stored::Bytes(bytes)) => bytes
                .iter()
                .fold(write!(id, "{slash}"), |written, byte| written.and_then(|()| write!(id, "{byte:02x}"))),
        };
        written.expect("a String takes everything");
    }
    id
}

/// A row that is not what Chancery wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unauthentic {
    /// Its table.
    pub table: &'static str,
    /// Its primary key; the parts of one of several columns stand with slashes between them.
    pub id: String,
}

/// What authenticates the rows of an open database, and which rows it refused. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Authenticator(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// None while the database is brought up to date: no row of authority is read then.
    mac: Option<Arc<dyn RowMac>>,
    suspects: Mutex<BTreeMap<Unauthentic, Suspect>>,
    has_suspects: AtomicBool,
    refusals: AtomicU64,
}

pub(crate) struct Suspect {
    pub(crate) key: Vec<Value>,
    told: bool,
}

impl Authenticator {
    pub(crate) fn new(mac: Arc<dyn RowMac>) -> Self {
        Self(Arc::new(Shared { mac: Some(mac), ..Shared::default() }))
    }

    fn mac(&self) -> Result<&dyn RowMac, StoreError> {
        let missing = || StoreError::Internal("a row of authority before the key for rows".into());
        self.0.mac.as_deref().ok_or_else(missing)
    }

    /// A row's MAC: its version and the tag.
    pub(crate) fn seal(&self, message: Message, version: i64) -> Result<Vec<u8>, StoreError> {
        let tag = self.mac()?.tag(&message.versioned(version));
        Ok([&version.to_be_bytes()[..], &tag].concat())
    }

    /// The version of a row whose MAC is good.
    pub(crate) fn version(&self, message: Message, mac: Option<&[u8]>) -> Result<Option<i64>, StoreError> {
        let own = self.mac()?;
        let Some((version, tag)) = mac.and_then(|mac| mac.split_first_chunk::<VERSION_LEN>()) else { return Ok(None) };
        let version = i64::from_be_bytes(*version);
        Ok(own.verify(&message.versioned(version), tag).then_some(version))
    }

    /// Notes that a row is not what it says, and tells the log of it once. Never of what it holds.
    pub(crate) fn refuse(&self, table: &Table, key: &[Option<Stored<'_>>]) -> StoreError {
        let row = Unauthentic { table: table.name, id: id_of(key) };
        self.suspect(row, key.iter().map(|part| Value::of(*part)).collect())
    }

    /// The same of a row that is looked at again by this key; without one it is counted as long as the store is open.
    pub(crate) fn suspect(&self, row: Unauthentic, key: Vec<Value>) -> StoreError {
        self.0.refusals.fetch_add(1, Ordering::Relaxed);
        let mut suspects = self.suspects();
        if !suspects.contains_key(&row) {
            error!(
                table = row.table,
                row = row.id,
                "a row of the database is not what Chancery wrote, or lacks others that belong to it; it is refused until that is restored"
            );
            if suspects.len() < SUSPECTS_MAX {
                suspects.insert(row.clone(), Suspect { key, told: false });
                self.0.has_suspects.store(true, Ordering::Relaxed);
            }
        }
        StoreError::Unauthentic(row)
    }

    fn suspects(&self) -> MutexGuard<'_, BTreeMap<Unauthentic, Suspect>> {
        self.0.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any row is known to be bad.
    pub(crate) fn has_refused(&self) -> bool {
        self.0.has_suspects.load(Ordering::Relaxed)
    }

    /// Those that were refused and are not known to be mended.
    pub(crate) fn refused(&self) -> Vec<(Unauthentic, Vec<Value>)> {
        if !self.0.has_suspects.load(Ordering::Relaxed) {
            return Vec::new();
        }
        self.suspects().iter().map(|(row, suspect)| (row.clone(), suspect.key.clone())).collect()
    }

    /// Those that nobody has asked for yet.
    pub(crate) fn untold(&self) -> Vec<Unauthentic> {
        if !self.0.has_suspects.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut suspects = self.suspects();
        let untold = suspects.iter_mut().filter_map(|(row, suspect)| {
            let was_told = std::mem::replace(&mut suspect.told, true);
            (!was_told).then(|| row.clone())
        });
        untold.collect()
    }

    /// It is good again, or gone.
    pub(crate) fn forgive(&self, row: &Unauthentic) {
        let mut suspects = self.suspects();
        suspects.remove(row);
        self.0.has_suspects.store(!suspects.is_empty(), Ordering::Relaxed);
    }

    /// How often a row was refused.
    pub(crate) fn refusals(&self) -> u64 {
        self.0.refusals.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Table = Table { name: "t", columns: &["a", "b"], keys: 1, apart: &[] };

    fn message(values: [(&str, Option<Stored<'_>>); 2]) -> Vec<u8> {
        let mut message = Message::of(&TABLE);
        for (name, value) in values {
            message.column(name, value);
        }
        message.versioned(1)
    }

    #[test]
    fn no_two_rows_give_the_same_bytes() {
        let texts = |a, b| message([("a", Some(Stored::Text(a))), ("b", Some(Stored::Text(b)))]);
        let all = [
            texts("x", "y"),
            texts("xy", ""),
            texts("", "xy"),
            texts("y", "x"),
            message([("a", Some(Stored::Text("x"))), ("b", None)]),
            message([("a", None), ("b", Some(Stored::Text("x")))]),
            message([("a", Some(Stored::Bytes(b"x"))), ("b", None)]),
            message([("a", Some(Stored::Number(0x78))), ("b", None)]),
            message([("a", Some(Stored::Bytes(&0x78_i64.to_be_bytes()))), ("b", None)]),
            message([("a", Some(Stored::Text(""))), ("b", None)]),
            message([("a", None), ("b", None)]),
            Message::of(&Table { name: "u", ..TABLE }).versioned(1),
            Message::of(&TABLE).versioned(2),
        ];
        for (number, one) in all.iter().enumerate() {
            assert!(!all[..number].contains(one), "row {number}");
        }
    }
}
