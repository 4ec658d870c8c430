//! RSA keys that are made ahead. Prime numbers take up to seconds to find; whoever finds a key here does not wait for
//! them.
//!
//! A key lies here as it will lie in the store: under an id of its own, and sealed. It is nobody's until it is taken, is
//! taken once, and ends with the process if nobody does.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use chancery_keys::{KeyRef, KeySpec, Purpose};
use tokio::{sync::Notify, time};
use tracing::warn;

use super::{Custody, KeyMaterial};

/// After a key could not be made.
const PAUSE: Duration = Duration::from_secs(10);

/// How many keys lie ready of each size, in bits, that was asked for.
pub type RsaPoolLevels = Vec<(u32, usize)>;

/// The keys that lie ready.
pub(super) struct RsaPool {
    /// Of each size; 0: none are made ahead.
    per_size: usize,
    /// By size in bits. There is no shelf for a size that nobody asked for yet: a server that never uses RSA makes none.
    shelves: Mutex<BTreeMap<u32, Shelf>>,
    /// A shelf may have room.
    room: Arc<Notify>,
    is_closed: AtomicBool,
}

struct Shelf {
    spec: KeySpec,
    keys: VecDeque<KeyMaterial>,
}

impl RsaPool {
    pub(super) fn new(per_size: usize) -> Self {
        Self { per_size, shelves: Mutex::default(), room: Arc::default(), is_closed: AtomicBool::new(false) }
    }

    fn shelves(&self) -> MutexGuard<'_, BTreeMap<u32, Shelf>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A key of this kind, if one lies ready. The shelf is filled again, or for the first time, in the background.
    pub(super) fn take(&self, spec: KeySpec) -> Option<KeyMaterial> {
        if self.per_size == 0 || !matches!(spec, KeySpec::Rsa(_)) {
            return None;
        }
        let shelf = || Shelf { spec, keys: VecDeque::new() };
        let taken = self.shelves().entry(spec.size()).or_insert_with(shelf).keys.pop_front();
        self.room.notify_one();
        taken
    }

    /// The kind of which the fewest keys lie ready, if any shelf has room.
    fn wanted(&self) -> Option<KeySpec> {
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let shelves = self.shelves();
        let emptiest = shelves.values().min_by_key(|shelf| shelf.keys.len())?;
        (emptiest.keys.len() < self.per_size).then_some(emptiest.spec)
    }

    fn put(&self, key: KeyMaterial) {
        if let Some(shelf) = self.shelves().get_mut(&key.handle.key.spec.size()) {
            shelf.keys.push_back(key);
        }
    }

    pub(super) fn levels(&self) -> RsaPoolLevels {
        self.shelves().iter().map(|(bits, shelf)| (*bits, shelf.keys.len())).collect()
    }

    /// Makes no more keys.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

/// Ends the task that fills the shelves.
impl Drop for RsaPool {
    fn drop(&mut self) {
        self.room.notify_one();
    }
}

/// Fills the shelves, one key at a time, until the last user of this custody is gone.
pub(super) fn fill(custody: &Arc<Custody>) {
    if custody.software.rsa_pool.per_size == 0 {
        return;
    }
    let (weak, room) = (Arc::downgrade(custody), Arc::clone(&custody.software.rsa_pool.room));
    tokio::spawn(async move {
        while let Some(custody) = weak.upgrade() {
            let Some(spec) = custody.software.rsa_pool.wanted() else {
                drop(custody);
                room.notified().await;
                continue;
            };
            let key = KeyRef { id: custody.new_key_id(), version: 1, purpose: Purpose::Sign, spec };
            match custody.software.generate_aside(key).await {
                Ok(key) => custody.software.rsa_pool.put(key),
                Err(failure) => {
                    warn!(error = &failure as &dyn std::error::Error, "no RSA key could be made ahead");
                    time::sleep(PAUSE).await;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, time::Instant};

    use chancery_keys::RsaSize;
    use chancery_types::Curve;

    use super::*;
    use crate::{
        Chancery,
        testing::{Installation, visitor},
    };

    const RSA_2048: KeySpec = KeySpec::Rsa(RsaSize::Bits2048);

    async fn new_key(chancery: &Chancery, spec: KeySpec) -> KeyMaterial {
        chancery.custody.new_key(Purpose::Sign, spec).await.unwrap()
    }

    async fn filled(chancery: &Chancery, levels: &[(u32, usize)]) {
        let patience = Instant::now() + Duration::from_secs(120);
        while chancery.keys.rsa_pool_levels(&visitor()) != levels {
            assert!(Instant::now() < patience, "{:?}", chancery.keys.rsa_pool_levels(&visitor()));
            time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn keys_that_lie_ready_are_handed_out_once_and_replaced() {
        let chancery = &Installation::with_rsa_pool(2).await.chancery;
        assert_eq!(chancery.keys.rsa_pool_levels(&visitor()), [], "nobody asked for RSA yet");
        // The first is made while its caller waits.
        let mut keys = vec![new_key(chancery, RSA_2048).await];
        filled(chancery, &[(2048, 2)]).await;
        for _ in 0..2 {
            keys.push(chancery.custody.software.rsa_pool.take(RSA_2048).expect("two lie ready"));
        }
        filled(chancery, &[(2048, 2)]).await;
        keys.push(new_key(chancery, RSA_2048).await);
        let distinct: HashSet<_> =
            keys.iter().map(|key| (key.handle.key.id, key.public_key.clone().unwrap())).collect();
        assert_eq!((distinct.len(), keys.len()), (4, 4));
        for key in keys {
            assert_eq!((key.handle.key.spec, key.handle.key.version), (RSA_2048, 1));
            // It opens under its own id alone.
            let open = chancery.custody.passing_signer(&key).await.unwrap();
            assert_eq!(open.public_key(), key.public_key.unwrap());
        }
    }

    #[tokio::test]
    async fn an_empty_pool_and_none_at_all_make_keys_all_the_same() {
        let chancery = &Installation::with_rsa_pool(1).await.chancery;
        chancery.custody.shut_down();
        for _ in 0..2 {
            new_key(chancery, RSA_2048).await;
        }
        assert_eq!(chancery.keys.rsa_pool_levels(&visitor()), [(2048, 0)], "a closed pool is not filled");
        let chancery = &Installation::new().await.chancery;
        new_key(chancery, RSA_2048).await;
        assert_eq!(chancery.keys.rsa_pool_levels(&visitor()), []);
    }

    #[tokio::test]
    async fn only_rsa_keys_lie_ready() {
        let chancery = &Installation::with_rsa_pool(1).await.chancery;
        new_key(chancery, KeySpec::Ec(Curve::P256)).await;
        assert_eq!(chancery.keys.rsa_pool_levels(&visitor()), []);
    }

    #[tokio::test]
    async fn the_filling_ends_with_its_chancery() {
        let installation = Installation::with_rsa_pool(1).await;
        let weak = Arc::downgrade(&installation.chancery.custody);
        new_key(&installation.chancery, RSA_2048).await;
        filled(&installation.chancery, &[(2048, 1)]).await;
        drop(installation);
        let patience = Instant::now() + Duration::from_secs(30);
        while weak.strong_count() > 0 {
            assert!(Instant::now() < patience, "somebody still holds it");
            time::sleep(Duration::from_millis(10)).await;
        }
    }
}
