//! Open signing keys. Those in use stay open, since opening one costs as much as an RSA signature.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chancery_keys::{RsaBatch, SigningKey};
use chancery_types::KeyId;

/// Keys that stay open: more than installations have authorities and services.
const OPEN_MAX: usize = 1_024;

/// Which key, and for what it is open: whoever opens an authority's key must not find one for batches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Opened {
    pub(super) id: KeyId,
    pub(super) version: u32,
    pub(super) batch: RsaBatch,
}

/// The signing keys that are open.
#[derive(Default)]
pub(super) struct OpenKeys(Mutex<HashMap<Opened, Arc<SigningKey>>>);

impl OpenKeys {
    pub(super) fn find(&self, key: Opened) -> Option<Arc<SigningKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone)
    }

    pub(super) fn keep(&self, key: Opened, open: &Arc<SigningKey>) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= OPEN_MAX {
            keys.clear();
        }
        keys.insert(key, Arc::clone(open));
    }

    /// Closes a key of which something changed, or all; the next use looks at the store in any case.
    pub(super) fn close(&self, id: Option<KeyId>) {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|open, _| id.is_some_and(|id| id != open.id));
    }
}
