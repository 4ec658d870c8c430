//! Rows of the database that are not what Chancery wrote: the key that tells, and what is done about them.
//!
//! The store refuses such a row wherever it is read. Here it is told, in the audit, and looked at again, so that a row
//! that was restored counts at once.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chancery_keys::{Custodian, KeyRef, KeySpec, OpenError, Purpose, RowKey, SealedKey};
use chancery_store::{
    NewRowKey, RefusedRow, RowKeyError, RowKeys, RowMac, SealedRowKey, StoreError, TAG_LEN,
    tables::{audit::Record, bearer_keys},
};
use chancery_types::{Action, ErrorCode, KeyId};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    Context, Event, Host, Visitor,
    background::Recurring as _,
    changes::{Change, ChangeKind},
    record::{Actor, Entry},
    storage::{Connections, Evidence, MayRead, Recording},
};
use crate::{Clock, Error, Result};

/// Rows that a record of authenticating some names; all are counted.
const NAMED_MAX: usize = 1_000;

/// How often rows that were refused are told of and looked at again.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The seal of a key for bearer tokens, by its version: in a database whose rows had no MACs yet, and in one whose rows
/// have. A database without the key for rows is taken for one of the former only if it shows such a seal.
pub(crate) const BEARER_BEFORE: u32 = 1;
/// See there.
pub(crate) const BEARER: u32 = 2;

/// Which key for bearer tokens that is.
pub(crate) const fn bearer_reference(id: KeyId, version: u32) -> KeyRef {
    KeyRef { id, version, purpose: Purpose::Bearer, spec: KeySpec::Hmac256 }
}

const fn reference(id: KeyId) -> KeyRef {
    KeyRef { id, version: 1, purpose: Purpose::Rows, spec: KeySpec::Hmac256 }
}

/// The key for rows, as the store knows it.
struct Mac(RowKey);

impl RowMac for Mac {
    fn tag(&self, row: &[u8]) -> [u8; TAG_LEN] {
        self.0.tag(row)
    }

    fn verify(&self, row: &[u8], tag: &[u8]) -> bool {
        self.0.verify(row, tag)
    }
}

/// Gives rows of an older release their MACs. Made only here.
pub(crate) struct Migrating(());

impl Evidence for Migrating {}
impl Recording for Migrating {
    const NAME: &'static str = "migration";
    const ACTIONS: &'static [Action] = &[Action::RowsAuthenticate];
}

/// Tells of rows that were refused. Made only here.
pub(crate) struct Watching(());

impl Evidence for Watching {}
impl MayRead for Watching {
    const CONNECTIONS: Connections = Connections::Followers;
}
impl Recording for Watching {
    const NAME: &'static str = "server";
    const ACTIONS: &'static [Action] = &[Action::RowRefuse];
}

/// Makes and opens the key for rows.
pub(crate) struct RowCustody {
    /// The server that makes them.
    pub(crate) node: Uuid,
    pub(crate) custodian: Arc<Custodian>,
    pub(crate) clock: Clock,
}

fn custody(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> RowKeyError {
    RowKeyError::Custody(cause.into())
}

impl RowCustody {
    fn reseal(&self, row: &bearer_keys::Row) -> Result<bearer_keys::Row, RowKeyError> {
        let before = bearer_reference(row.id.into(), BEARER_BEFORE);
        let sealed = SealedKey::from_parts(before, row.sealed.clone());
        let sealed = self.custodian.reseal_bearer_key(&sealed, BEARER).map_err(|failure| match failure {
            OpenError::Broken => RowKeyError::Missing,
            OpenError::Format | OpenError::OtherRootKey | OpenError::Purpose { .. } | OpenError::Unusable => {
                custody(failure)
            }
        })?;
        Ok(bearer_keys::Row { sealed: sealed.as_bytes().to_vec(), ..row.clone() })
    }
}

impl RowKeys for RowCustody {
    fn make(&self, bearer_keys: &[bearer_keys::Row]) -> Result<NewRowKey, RowKeyError> {
        let bearer_keys = bearer_keys.iter().map(|row| self.reseal(row)).collect::<Result<_, _>>()?;
        let id = KeyId::from_random(chancery_keys::random());
        let sealed = self.custodian.generate(reference(id)).map_err(custody)?.sealed.as_bytes().to_vec();
        let key = SealedRowKey { id: id.into(), sealed };
        Ok(NewRowKey { key, created_at_ms: self.clock.now_ms(), bearer_keys })
    }

    fn open(&self, key: &SealedRowKey) -> Result<Arc<dyn RowMac>, RowKeyError> {
        let sealed = SealedKey::from_parts(reference(key.id.into()), key.sealed.clone());
        Ok(Arc::new(Mac(self.custodian.open_row_key(&sealed).map_err(custody)?)))
    }

    fn record(&self, counts: &[(&'static str, u64)]) -> Result<Record, RowKeyError> {
        let counts: Map<String, Value> = counts.iter().map(|(table, rows)| ((*table).into(), json!(rows))).collect();
        let event = Event::new(Action::RowsAuthenticate).detail(json!({"rows": counts}));
        let actor = Actor::of_task(self.node, &Migrating(()));
        let entry = Entry::new(self.clock.now_ms(), &actor, event, ErrorCode::Success);
        entry.map(Entry::into_record).map_err(custody)
    }
}

/// Whether a row was refused: to read it again gives the same until it is restored.
pub(crate) fn is_unauthentic(failure: &Error) -> bool {
    let cause = std::error::Error::source(failure).and_then(|cause| cause.downcast_ref::<StoreError>());
    matches!(cause, Some(StoreError::Unauthentic(_)))
}

impl Context {
    /// Rows of the database that are not what Chancery wrote, as far as this node has met them.
    #[must_use]
    pub fn refused_rows(&self, _: &Visitor) -> usize {
        self.storage.unauthentic()
    }

    /// Tells of rows that were refused, and looks whether they were restored, until the last user of this Chancery is
    /// gone.
    pub(crate) fn watch_rows(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "looking at refused rows", |context| Box::pin(context.look_at_rows()));
    }

    async fn look_at_rows(&self) -> Result<()> {
        for row in self.storage.newly_unauthentic(&Watching(())) {
            let event = Event::new(Action::RowRefuse)
                .on(row.id.parse().ok())
                .detail(json!({"table": row.table, "row": row.id}));
            self.commit(&Watching(()), event, |_| Box::pin(async { Ok(()) })).await?;
        }
        if self.storage.look_at_refused(&Watching(())).await? > 0 {
            self.reload().await?;
        }
        Ok(())
    }

    /// Every row that carries authority and is not what Chancery wrote, for somebody on the host.
    pub async fn foreign_rows(&self, host: &Host) -> Result<Vec<RefusedRow>> {
        self.storage.look_at_all_rows(host).await
    }

    /// Takes rows for good after a repair by hand, as they were shown: InvalidState, and nothing is taken, where one is
    /// another by now, cannot be read, or lacks what belongs to it.
    pub async fn authenticate_rows(&self, host: &Host, rows: Vec<RefusedRow>) -> Result<()> {
        let names: Vec<_> = rows.iter().map(|row| format!("{}/{}", row.row().table, row.row().id)).collect();
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        rows.iter().for_each(|row| *counts.entry(row.row().table).or_default() += 1);
        let event = Event::new(Action::RowsAuthenticate);
        let event = event.detail(json!({"rows": counts, "named": names.iter().take(NAMED_MAX).collect::<Vec<_>>()}));
        // Every node reads anew what these rows may be part of.
        let event = ChangeKind::ALL.into_iter().fold(event, |event, kind| event.changes(Change::all(kind)));
        let taken = self.commit(host, event, move |tx| {
            Box::pin(async move {
                for (row, name) in rows.iter().zip(names) {
                    if !row.is_readable() {
                        return Err(Error::state(format!("{name} holds what no release writes; mend it first.")));
                    }
                    if let Some((parts, count)) = row.parts() {
                        let message = format!(
                            "{name} has {count} rows in {parts}, not as many as belong to it; mend that first."
                        );
                        return Err(Error::state(message));
                    }
                    if !row.authenticate(tx).await? {
                        return Err(Error::state(format!("{name} is no longer as it was shown; look again.")));
                    }
                }
                Ok(())
            })
        });
        taken.await
    }

    /// Reads anew what was without a row.
    async fn reload(&self) -> Result<()> {
        let _turn = self.following.turn().await;
        self.compiled.get()?.reload(&Watching(())).await
    }
}
