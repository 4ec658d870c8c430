//! Rows whose MACs are not good, or of whose parts some are not there: those that somebody met, all that there are, and how
//! one is taken for good after a repair by hand.

use crate::authority::{Table, Unauthentic, id_of};
use crate::row_keys::{Raw, authenticate_rows, page_after, parts_of, select};
use crate::tables::AUTHORITY;
use crate::value::Value;
use crate::{Store, StoreError, Tx, generated_sql};

/// A row that is refused, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    row: Unauthentic,
    table: &'static Table,
    found: Raw,
    has_good_mac: bool,
}

impl RefusedRow {
    /// Which one.
    #[must_use]
    pub const fn row(&self) -> &Unauthentic {
        &self.row
    }

    /// Its columns and what they hold: a text as it is, a number, bytes in hexadecimal digits, nothing for NULL.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, Option<String>)> {
        self.table.columns.iter().copied().zip(self.found.values().iter().map(Value::shown))
    }

    /// Whether Chancery could read it: if not, no MAC makes it good.
    #[must_use]
    pub const fn is_readable(&self) -> bool {
        self.found.is_readable()
    }

    /// Whether it is as Chancery wrote it, so that only its parts are wrong.
    #[must_use]
    pub const fn has_good_mac(&self) -> bool {
        self.has_good_mac
    }

    /// Where it is not whole, which no MAC mends: the table of the rows that belong to it, and how many of them there are.
    pub fn parts(&self) -> Option<(&'static str, i64)> {
        let (parts, _) = parts_of(self.table).filter(|_| !self.found.is_whole(self.table))?;
        Some((parts, self.found.parts))
    }

    /// Gives the row a good MAC; false where it is no longer as it was found.
    pub async fn authenticate(&self, tx: &mut Tx) -> Result<bool, StoreError> {
        let is_as_found = self.is_readable()
            && by_key(tx, self.table, self.found.key(self.table)).await?.as_ref() == Some(&self.found);
        if is_as_found {
            authenticate_rows(tx, self.table, std::slice::from_ref(&self.found)).await?;
        }
        Ok(is_as_found)
    }
}

async fn by_key(tx: &mut Tx, table: &Table, key: &[Value]) -> Result<Option<Raw>, StoreError> {
    let is = |(number, column): (usize, &&str)| format!("{column} = ${}", number + 1);
    let found: Vec<_> = table.columns[..table.keys].iter().enumerate().map(is).collect();
    let text = format!("{} WHERE {}", select(table), found.join(" AND "));
    generated_sql(text).bind_all(key).optional(tx).await
}

fn table_of(row: &Unauthentic) -> Option<&'static Table> {
    AUTHORITY.iter().find(|table| table.name == row.table)
}

impl Store {
    /// Rows that were refused since the store was opened and are not known to be mended.
    pub fn unauthentic(&self) -> Vec<Unauthentic> {
        self.authenticator().refused().into_iter().map(|(row, _)| row).collect()
    }

    /// Those of them that this has not answered before.
    pub fn newly_unauthentic(&self) -> Vec<Unauthentic> {
        self.authenticator().untold()
    }

    /// How often a row was refused.
    pub fn refusals(&self) -> u64 {
        self.authenticator().refusals()
    }

    /// Looks again at the rows that were refused, and forgets those that are as they were written, or gone; how many that
    /// were. One that was refused for what others say is not known to be mended.
    pub async fn look_at_refused(&self) -> Result<usize, StoreError> {
        let refused = self.authenticator().refused();
        if refused.is_empty() {
            return Ok(0);
        }
        let authenticator = self.authenticator().clone();
        self.read(move |tx| {
            Box::pin(async move {
                let mut mended = 0;
                for (row, key) in refused {
                    let Some(table) = table_of(&row).filter(|_| !key.is_empty()) else { continue };
                    let is_refused = match by_key(tx, table, &key).await? {
                        Some(found) => !found.is_good(table, &authenticator)? || !found.is_whole(table),
                        None => false,
                    };
                    if !is_refused {
                        authenticator.forgive(&row);
                        mended += 1;
                    }
                }
                Ok(mended)
            })
        })
        .await
    }

    /// Looks at every row that carries authority, a page at a time; those that are refused.
    pub async fn look_at_all_rows(&self) -> Result<Vec<RefusedRow>, StoreError> {
        let mut refused = Vec::new();
        for table in AUTHORITY {
            let mut last = Vec::new();
            loop {
                let page = page_after(table, &last);
                let rows: Vec<Raw> = self.read(move |tx| Box::pin(page.all(tx))).await?;
                let Some(end) = rows.last() else { break };
                if rows.iter().any(|row| !row.has_readable_key(table)) {
                    return Err(StoreError::Internal(format!("a row of {} has a key that cannot be read", table.name)));
                }
                last = end.key(table).to_vec();
                for found in rows {
                    let has_good_mac = found.is_good(table, self.authenticator())?;
                    if !has_good_mac || !found.is_whole(table) {
                        let key: Vec<_> = found.key(table).iter().map(Value::stored).collect();
                        let row = Unauthentic { table: table.name, id: id_of(&key) };
                        refused.push(RefusedRow { row, table, found, has_good_mac });
                    }
                }
            }
        }
        Ok(refused)
    }
}
