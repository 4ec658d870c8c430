//! A key for rows that needs no custody: what these tests are about is who asks for it, and when.

use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use chancery_store::tables::{audit::Record, bearer_keys};
use chancery_store::{NewRowKey, RowKeyError, RowKeys, RowMac, SealedRowKey, TAG_LEN};
use uuid::Uuid;

/// Any key: good enough for whoever does not forge.
struct Keys;

pub(crate) fn keys() -> Arc<dyn RowKeys> {
    Arc::new(Keys)
}

impl RowKeys for Keys {
    fn make(&self, bearer_keys: &[bearer_keys::Row]) -> Result<NewRowKey, RowKeyError> {
        let key = SealedRowKey { id: Uuid::from_u128(1), sealed: vec![1] };
        Ok(NewRowKey { key, created_at_ms: 1, bearer_keys: bearer_keys.to_vec() })
    }

    fn open(&self, _: &SealedRowKey) -> Result<Arc<dyn RowMac>, RowKeyError> {
        Ok(Arc::new(Self))
    }

    fn record(&self, counts: &[(&'static str, u64)]) -> Result<Record, RowKeyError> {
        Ok(Record {
            at_ms: 1,
            request_id: "test".into(),
            source: String::new(),
            identities: "[]".into(),
            action: "RowsAuthenticate".into(),
            object: None,
            outcome: "Success".into(),
            detail: format!("{counts:?}"),
            count: 1,
            node: None,
            account: None,
        })
    }
}

impl RowMac for Keys {
    fn tag(&self, row: &[u8]) -> [u8; TAG_LEN] {
        let mut hasher = DefaultHasher::new();
        hasher.write(row);
        u128::from(hasher.finish()).to_be_bytes()
    }

    fn verify(&self, row: &[u8], tag: &[u8]) -> bool {
        self.tag(row) == tag
    }
}
