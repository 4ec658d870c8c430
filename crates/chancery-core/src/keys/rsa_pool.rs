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

use chancery_keys::KeySpec;
use tokio::{sync::Notify, time};
use tracing::warn;

use super::{NewKey, key_type::KeyType};
use crate::{Chancery, Visitor};

/// After a key could not be made.
const PAUSE: Duration = Duration::from_secs(10);

/// How many keys lie ready of each size, in bits, that was asked for.
pub type RsaPoolLevels = Vec<(u32, usize)>;

/// The keys that lie ready.
pub(crate) struct RsaPool {
    /// Of each size; 0: none are made ahead.
    per_size: usize,
    /// By size in bits. There is no shelf for a size that nobody asked for yet: a server that never uses RSA makes none.
    shelves: Mutex<BTreeMap<u32, Shelf>>,
    /// A shelf may have room.
    room: Arc<Notify>,
    is_closed: AtomicBool,
}

struct Shelf {
    key_type: &'static KeyType,
    keys: VecDeque<NewKey>,
}

impl RsaPool {
    pub(crate) fn new(per_size: usize) -> Self {
        Self { per_size, shelves: Mutex::default(), room: Arc::default(), is_closed: AtomicBool::new(false) }
    }

    fn shelves(&self) -> MutexGuard<'_, BTreeMap<u32, Shelf>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A key of this type, if one lies ready. The shelf is filled again, or for the first time, in the background.
    pub(super) fn take(&self, key_type: &'static KeyType) -> Option<NewKey> {
        if self.per_size == 0 || !matches!(key_type.spec, KeySpec::Rsa(_)) {
            return None;
        }
        let shelf = || Shelf { key_type, keys: VecDeque::new() };
        let taken = self.shelves().entry(key_type.spec.size()).or_insert_with(shelf).keys.pop_front();
        self.room.notify_one();
        taken
    }

    /// The type of which the fewest keys lie ready, if any shelf has room.
    fn wanted(&self) -> Option<&'static KeyType> {
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let shelves = self.shelves();
        let emptiest = shelves.values().min_by_key(|shelf| shelf.keys.len())?;
        (emptiest.keys.len() < self.per_size).then_some(emptiest.key_type)
    }

    fn put(&self, key: NewKey) {
        if let Some(shelf) = self.shelves().get_mut(&key.key_type.spec.size()) {
            shelf.keys.push_back(key);
        }
    }

    /// Makes no more keys.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

/// Ends the task that fills the shelves.
impl Drop for RsaPool {
    fn drop(&mut self) {
        self.room.notify_one();
    }
}

impl Chancery {
    /// How many RSA keys lie ready.
    #[must_use]
    pub fn rsa_pool_levels(&self, _visitor: &Visitor) -> RsaPoolLevels {
        self.rsa_pool.shelves().iter().map(|(bits, shelf)| (*bits, shelf.keys.len())).collect()
    }

    /// Fills the shelves, one key at a time, until the last user of this Chancery is gone.
    pub(crate) fn fill_rsa_pool(self: &Arc<Self>) {
        if self.rsa_pool.per_size == 0 {
            return;
        }
        let (weak, room) = (Arc::downgrade(self), Arc::clone(&self.rsa_pool.room));
        tokio::spawn(async move {
            while let Some(chancery) = weak.upgrade() {
                let Some(key_type) = chancery.rsa_pool.wanted() else {
                    drop(chancery);
                    room.notified().await;
                    continue;
                };
                match chancery.key_made_aside(key_type).await {
                    Ok(key) => chancery.rsa_pool.put(key),
                    Err(failure) => {
                        warn!(error = &failure as &dyn std::error::Error, "no RSA key could be made ahead");
                        time::sleep(PAUSE).await;
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, time::Instant};

    use chancery_keys::RsaSize;

    use super::*;
    use crate::testing::{Installation, visitor};

    fn rsa_2048() -> &'static KeyType {
        KeyType::by_spec(KeySpec::Rsa(RsaSize::Bits2048)).expect("a key type")
    }

    async fn filled(chancery: &Chancery, levels: &[(u32, usize)]) {
        let patience = Instant::now() + Duration::from_secs(120);
        while chancery.rsa_pool_levels(&visitor()) != levels {
            assert!(Instant::now() < patience, "{:?}", chancery.rsa_pool_levels(&visitor()));
            time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn keys_that_lie_ready_are_handed_out_once_and_replaced() {
        let chancery = &Installation::with_rsa_pool(2).await.chancery;
        assert_eq!(chancery.rsa_pool_levels(&visitor()), [], "nobody asked for RSA yet");
        // The first is made while its caller waits.
        let mut keys = vec![chancery.new_key(rsa_2048()).await.unwrap()];
        filled(chancery, &[(2048, 2)]).await;
        for _ in 0..2 {
            keys.push(chancery.rsa_pool.take(rsa_2048()).expect("two lie ready"));
        }
        filled(chancery, &[(2048, 2)]).await;
        keys.push(chancery.new_key(rsa_2048()).await.unwrap());
        let distinct: HashSet<_> = keys.iter().map(|key| (key.id, key.public_key.clone().unwrap())).collect();
        assert_eq!((distinct.len(), keys.len()), (4, 4));
        for key in keys {
            assert_eq!(
                (key.sealed.key().id, key.sealed.key().spec, key.sealed.key().version),
                (key.id, rsa_2048().spec, 1)
            );
            let open = chancery.open_signing_key(key.sealed).await.unwrap();
            assert_eq!(open.public_key_spki(), key.public_key.unwrap());
        }
    }

    #[tokio::test]
    async fn an_empty_pool_and_none_at_all_make_keys_all_the_same() {
        let chancery = &Installation::with_rsa_pool(1).await.chancery;
        chancery.rsa_pool.close();
        for _ in 0..2 {
            chancery.new_key(rsa_2048()).await.unwrap();
        }
        assert_eq!(chancery.rsa_pool_levels(&visitor()), [(2048, 0)], "a closed pool is not filled");
        let chancery = &Installation::new().await.chancery;
        chancery.new_key(rsa_2048()).await.unwrap();
        assert_eq!(chancery.rsa_pool_levels(&visitor()), []);
    }

    #[tokio::test]
    async fn only_rsa_keys_lie_ready() {
        let chancery = &Installation::with_rsa_pool(1).await.chancery;
        chancery.new_key(&super::super::key_type::BUILT_IN[3]).await.unwrap();
        assert_eq!(chancery.rsa_pool_levels(&visitor()), []);
    }

    #[tokio::test]
    async fn the_filling_ends_with_its_chancery() {
        let installation = Installation::with_rsa_pool(1).await;
        let weak = Arc::downgrade(&installation.chancery);
        installation.chancery.new_key(rsa_2048()).await.unwrap();
        filled(&installation.chancery, &[(2048, 1)]).await;
        drop(installation);
        let patience = Instant::now() + Duration::from_secs(30);
        while weak.strong_count() > 0 {
            assert!(Instant::now() < patience, "somebody still holds it");
            time::sleep(Duration::from_millis(10)).await;
        }
    }
}
