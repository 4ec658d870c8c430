//! Looking at a database: it is read as it is. Nothing is made beside it, brought up to date or written.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use crate::authority::Authenticator;
use crate::backend::Backend;
use crate::in_place::InPlace;
use crate::sqlite::DatabaseFile;
use crate::url::SqliteFlush;
use crate::work::wait;
use crate::{OpenError, RowKeys, StoreError, Tx, migrate, row_keys, stamp};

/// What connections may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read and write.
    Writing,
    /// Read, beside whoever writes.
    Reading,
    /// Read what nobody writes: there is no log, and none is made.
    Still,
}

impl DatabaseFile {
    /// As it is, to be read alone: nothing is made.
    pub(crate) fn look(path: &Path) -> Result<Self, OpenError> {
        let place = InPlace::of(path).map_err(|cause| OpenError::File { path: path.display().to_string(), cause })?;
        let access = if stamp::look(path)? { Access::Reading } else { Access::Still };
        Ok(Self { path: path.to_owned(), flush: SqliteFlush::Library, place: Arc::new(place), access })
    }

    /// The file's name as one that nobody writes. Somebody who has begun to has made a log.
    pub(crate) fn still(&self) -> Result<PathBuf, StoreError> {
        let unavailable = |why: &str| StoreError::Unavailable(format!("{}: {why}", self.path.display()));
        if fs::exists(stamp::log_of(&self.path)).map_err(|error| unavailable(&error.to_string()))? {
            return Err(unavailable("somebody has begun to write it meanwhile; try again"));
        }
        let path = fs::canonicalize(&self.path).map_err(|error| unavailable(&error.to_string()))?;
        let mut url = Url::from_file_path(path).map_err(|()| unavailable("no path of a file"))?;
        url.set_query(Some("immutable=1"));
        Ok(PathBuf::from(String::from(url)))
    }
}

/// A file and what authenticates its rows.
pub(crate) fn open_file(
    path: &Path,
    keys: &dyn RowKeys,
    name: &str,
) -> Result<(DatabaseFile, Authenticator), OpenError> {
    let file = DatabaseFile::look(path)?;
    let mut tx = Tx::on_sqlite(file.connect_reader()?, Backend::Sqlite.begin_read(), Authenticator::default())?;
    // No statement on SQLite waits.
    let outcome = wait(expect(&mut tx, keys, name), Duration::MAX);
    let authenticator = outcome.ok_or_else(|| StoreError::Internal("a look that waits".into()))??;
    tx.into_sqlite()?.run("ROLLBACK")?;
    Ok((file, authenticator))
}

/// Refuses what is not of this release; what authenticates the rows.
pub(crate) async fn expect(tx: &mut Tx, keys: &dyn RowKeys, name: &str) -> Result<Authenticator, OpenError> {
    migrate::expect_current(tx, name).await?;
    row_keys::expect(tx, keys).await
}
