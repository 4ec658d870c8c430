//! Opening the store.

use std::{sync::Arc, time::Instant};

use chancery_keys::{Custodian, OtherRootKey, RootKeyFileError};
use chancery_store::{OpenError, RowKeyError, Store, StoreError, StoreUrl, Tx, tables};
use chancery_types::Action;
use serde_json::Value;
use uuid::Uuid;

use super::Storage;
use crate::{
    Clock, Error, Result,
    context::{
        changes::Following,
        rows::RowCustody,
        storage::{Background, Connections, Evidence, MayRead, Recording},
    },
};

/// The setting that says which root key the installation was made with.
const ROOT_KEY_ID: &str = "rootKeyId";

/// Why an installation could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenFailure {
    /// The root key could not be read.
    #[error(transparent)]
    RootKey(#[from] RootKeyFileError),
    /// The root key is not this installation's.
    #[error(transparent)]
    OtherRootKey(#[from] OtherRootKey),
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The transparency log is not as the settings want it.
    #[error(transparent)]
    Log(Box<dyn std::error::Error + Send + Sync>),
    /// The journal of the data plane cannot be opened.
    #[error(transparent)]
    Journal(#[from] chancery_journal::OpenError),
    /// The state could not be loaded.
    #[error("the installation could not be loaded")]
    Load(#[from] Error),
}

impl OpenFailure {
    /// Whether the installation could not be looked at: that says nothing of what is in it.
    #[must_use]
    pub fn is_out_of_reach(&self) -> bool {
        match self {
            Self::RootKey(_) | Self::OtherRootKey(_) => true,
            Self::Store(failure) => matches!(
                failure,
                OpenError::Url(_)
                    | OpenError::Unsuitable(_)
                    | OpenError::Newer(_)
                    | OpenError::Older(_)
                    | OpenError::Absent(_)
                    | OpenError::File { .. }
                    | OpenError::OtherLog(_)
                    | OpenError::Damaged { .. }
                    | OpenError::Store(StoreError::Unavailable(_))
            ),
            Self::Log(_) | Self::Journal(_) | Self::Load(_) => false,
        }
    }

    /// The key for rows is the first that is opened, so it tells of another root key.
    fn of_store(failure: OpenError) -> Self {
        if let OpenError::RowKey(RowKeyError::Custody(cause)) = &failure
            && cause.downcast_ref() == Some(&chancery_keys::OpenError::OtherRootKey)
        {
            return OtherRootKey.into();
        }
        failure.into()
    }
}

/// Loads what is compiled, and makes what a new installation needs. There is one for each store that is opened.
pub(crate) struct Opening(Uuid);

impl Evidence for Opening {}
impl MayRead for Opening {
    const CONNECTIONS: Connections = Connections::Followers;
}
impl Background for Opening {}
impl Recording for Opening {
    const NAME: &'static str = "migration";
    const ACTIONS: &'static [Action] = &[Action::RoleCreate, Action::RoleChange];
}

impl Storage {
    /// Opens a store, or begins a new one, and tells from where on it is to be followed.
    pub(crate) async fn open(
        node: Uuid,
        store: &StoreUrl,
        custodian: &Arc<Custodian>,
        clock: &Clock,
    ) -> Result<(Self, Opening, Following), OpenFailure> {
        let keys = Arc::new(RowCustody { node, custodian: Arc::clone(custodian), clock: clock.clone() });
        let store = Store::open(store, keys).await.map_err(OpenFailure::of_store)?;
        expect_root_key(&store, custodian).await?;
        // Read before anything is loaded: what changes in between is applied again, which does no harm.
        let read_at = Instant::now();
        let position = store.read(|tx| Box::pin(async move { Ok::<_, Error>(tables::changes::position(tx).await?) }));
        let following = Following::from(position.await?, read_at);
        Ok((Self { store }, Opening(node), following))
    }
}

impl Opening {
    /// The server that opens it.
    pub(crate) const fn node(&self) -> Uuid {
        self.0
    }

    /// For tests of what is loaded.
    #[cfg(test)]
    pub(crate) const fn of_test() -> Self {
        Self(Uuid::nil())
    }
}

/// The first root key that opens a store is the store's from then on.
async fn expect_root_key(store: &Store, custodian: &Custodian) -> Result<(), OpenFailure> {
    let own = Value::from(hex::encode(custodian.root_key_id().as_bytes())).to_string();
    let ours = own.clone();
    let stored = if store.is_read_only() {
        store
            .read(move |tx| Box::pin(async move { Ok::<_, Error>(root_key_id(tx, &ours).await?.unwrap_or(ours)) }))
            .await?
    } else {
        let written = store.write(move |tx| {
            Box::pin(async move {
                if let Some(stored) = root_key_id(tx, &ours).await? {
                    return Ok(stored);
                }
                tables::settings::set(tx, ROOT_KEY_ID, &ours).await?;
                Ok::<_, Error>(ours)
            })
        });
        written.await?
    };
    if stored == own { Ok(()) } else { Err(OtherRootKey.into()) }
}

async fn root_key_id(tx: &mut Tx, ours: &str) -> Result<Option<String>> {
    match tables::settings::value(tx, ROOT_KEY_ID).await {
        // It has opened the key for rows: it is the right one.
        Err(StoreError::Unauthentic(_)) => Ok(Some(ours.to_owned())),
        stored => Ok(stored?),
    }
}
