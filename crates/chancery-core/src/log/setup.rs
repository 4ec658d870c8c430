//! The log of an installation: its name and its key, made when the installation is first opened.

use chancery_keys::{Custodian, OwnKey};
use chancery_store::{Tx, tables};

use super::{
    checkpoint::Checkpoint,
    note,
    note_signer::{NoteSigner, StoredKey},
    tree,
};
use crate::{
    Context, Error, OpenFailure, Result,
    context::storage::{Opening, Storage},
    custody::Custody,
};

/// Why the log cannot be opened as the settings want it.
#[derive(Debug, thiserror::Error)]
pub enum LogFailure {
    /// No log can have this name.
    #[error("the name of the log, {0:?}, must not be empty, and have no white space and no plus sign")]
    Name(String),
    /// It has entries under another name.
    #[error("the log has entries under the name {0}; what was signed under it would no longer be found")]
    OtherName(String),
    /// It could not be loaded.
    #[error("the log could not be loaded")]
    Load(#[from] Error),
}

impl From<LogFailure> for OpenFailure {
    fn from(failure: LogFailure) -> Self {
        Self::Log(Box::new(failure))
    }
}

/// The open log: what checkpoints are signed with.
pub(crate) struct LogState(pub(crate) NoteSigner);

impl LogState {
    /// Opens the log, or begins it. Its name is the one that the settings give, or comes from the public address; it
    /// may change until there is an entry, and never again.
    pub(crate) async fn load(
        context: &Context,
        opening: &Opening,
        (name, public_url): (Option<&str>, Option<&str>),
    ) -> Result<Self, LogFailure> {
        let Context { storage, custodian, custody, .. } = context;
        let wanted = name.map(str::to_owned).or_else(|| public_url.map(name_at));
        if let Some(wanted) = wanted.as_deref().filter(|wanted| !note::is_name(wanted)) {
            return Err(LogFailure::Name(wanted.to_owned()));
        }
        let row = match storage.read(opening, |tx| Box::pin(read(tx))).await? {
            Some(row) => row,
            None => begin(storage, opening, custodian, custody, wanted.as_deref()).await?,
        };
        let log = Self::open(custody, &row)?;
        match wanted {
            Some(wanted) if wanted != row.origin && row.size == 0 => log.renamed(storage, opening, wanted).await,
            Some(wanted) if wanted != row.origin && name.is_some() => Err(LogFailure::OtherName(row.origin)),
            _ => Ok(log),
        }
    }

    fn open(custody: &Custody, row: &tables::logs::Row) -> Result<Self> {
        let tables::logs::Row { origin, key_id, sealed, public_key, .. } = row;
        let stored = StoredKey { id: *key_id, sealed: sealed.clone(), public_key: public_key.clone() };
        Ok(Self(NoteSigner::open(custody, OwnKey::Log, origin, stored)?))
    }

    /// The same log, still empty, under another name.
    async fn renamed(self, storage: &Storage, opening: &Opening, name: String) -> Result<Self, LogFailure> {
        let before = self.0.key.name().to_owned();
        let log = self.0.renamed(&name).map(Self);
        let log = log.ok_or_else(|| Error::internal("a log's name was checked before"))?;
        let checkpoint = log.empty_checkpoint().await?;
        let write = storage.background(opening, move |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::logs::rename(tx, &name, &checkpoint).await?) })
        });
        if write.await? { Ok(log) } else { Err(LogFailure::OtherName(before)) }
    }

    async fn empty_checkpoint(&self) -> Result<String> {
        self.sign(&Checkpoint { origin: self.0.key.name().to_owned(), size: 0, root: tree::empty_root() }).await
    }

    /// Signs a checkpoint. It may be shown to somebody once it is stored, and no other of its size ever may.
    pub(super) async fn sign(&self, checkpoint: &Checkpoint) -> Result<String> {
        self.0.sign(checkpoint.to_text()).await
    }
}

/// Makes the key and stores the empty log; of two nodes that do so at once, both get what the first one made.
async fn begin(
    storage: &Storage,
    opening: &Opening,
    custodian: &Custodian,
    custody: &Custody,
    name: Option<&str>,
) -> Result<tables::logs::Row> {
    let made = StoredKey::make(custodian, OwnKey::Log)?;
    // Nobody else has this name, and it never resolves (RFC 2606).
    let origin = name.map_or_else(|| format!("chancery.invalid/{}", made.id), str::to_owned);
    let mut row = tables::logs::Row {
        origin,
        key_id: made.id,
        sealed: made.sealed,
        public_key: made.public_key,
        size: 0,
        checkpoint: String::new(),
    };
    row.checkpoint = LogState::open(custody, &row)?.empty_checkpoint().await?;
    let write = storage.background(opening, move |tx| {
        Box::pin(async move {
            tables::logs::insert_if_absent(tx, &row).await?;
            read(tx).await
        })
    });
    write.await?.ok_or_else(|| Error::internal("the log that was stored is not there"))
}

async fn read(tx: &mut Tx) -> Result<Option<tables::logs::Row>> {
    Ok(tables::logs::read(tx).await?)
}

/// The name of a log below a public address: where its files are, without the scheme.
fn name_at(public_url: &str) -> String {
    let place = public_url.split_once("://").map_or(public_url, |(_, place)| place);
    format!("{}/log", place.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Installation;

    #[test]
    fn the_name_is_where_the_files_are() {
        assert_eq!(name_at("http://pki.example.org"), "pki.example.org/log");
        assert_eq!(name_at("https://pki.example.org/x/"), "pki.example.org/x/log");
    }

    #[tokio::test]
    async fn the_name_changes_until_there_is_an_entry() {
        let installation = Installation::new().await;
        let chancery = &installation.chancery;
        let load = async |name: Option<&'static str>, url: Option<&'static str>| {
            LogState::load(chancery, &Opening::of_test(), (name, url)).await.map(|log| log.0.key)
        };
        let first = load(None, None).await.unwrap();
        assert!(first.name().starts_with("chancery.invalid/"), "{first}");
        assert_eq!(load(None, Some("http://a.example")).await.unwrap().name(), "a.example/log");
        assert_eq!(load(Some("b.example/x"), Some("http://a.example")).await.unwrap().name(), "b.example/x");
        assert!(matches!(load(Some("b c"), None).await, Err(LogFailure::Name(_))));
        chancery
            .storage
            .store()
            .write(|tx| Box::pin(async { tables::logs::advance(tx, 0, 1, "not looked at").await }))
            .await
            .map_err(Error::from)
            .unwrap();
        assert!(matches!(load(Some("c.example"), None).await, Err(LogFailure::OtherName(_))));
        assert_eq!(load(None, Some("http://d.example")).await.unwrap().name(), "b.example/x", "a default stands back");
        assert_eq!(load(None, None).await.unwrap().name(), "b.example/x");
    }
}
