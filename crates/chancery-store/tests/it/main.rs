//! The store's tests.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chancery_store::tables::{changes, settings};
use chancery_store::{Store, StoreError, StoreUrl};

#[tokio::test]
async fn what_was_written_is_read_back_by_another_opening() {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::file(folder.path().join("a b%c?.db"));
    let store = Store::open(&url).await.unwrap();
    let seq = store
        .write::<_, StoreError, _>(|tx| {
            Box::pin(async move {
                settings::set(tx, "apiAccess", "true").await?;
                changes::append(tx, "settings", None).await
            })
        })
        .await
        .unwrap();
    assert_eq!(seq, 1);
    drop(store);
    let store = Store::open(&url).await.unwrap();
    let value = store.read::<_, StoreError, _>(|tx| Box::pin(settings::value(tx, "apiAccess"))).await.unwrap();
    assert_eq!(value.as_deref(), Some("true"));
}
