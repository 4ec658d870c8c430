//! How many durable single-insert writes a second: `cargo run --release -p chancery-store --example writes --
//! FILE-OR-ADDRESS [CALLERS] [SECONDS]`.
//!
//! A measure for us, not a test: beside it stands how long one caller alone waits, which is the flush of the disk.

#![expect(clippy::print_stdout, reason = "it is a program for the terminal")]

#[path = "../tests/it/row_keys.rs"]
mod row_keys;
use std::time::{Duration, Instant};

use chancery_store::tables::audit::{self, Record};
use chancery_store::{Store, StoreError};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default| arguments.get(place).map_or(Ok(default), |text| text.parse::<u64>());
    let url = arguments.first().ok_or("the path of an SQLite file or the address of a PostgreSQL database")?;
    let store = Store::open(&url.parse()?, row_keys::keys()).await?;
    let time = Duration::from_secs(number(2, 5)?);
    for callers in [1, number(1, 64)?] {
        let writes = measure(&store, callers, time).await?;
        let seconds = time.as_secs_f64();
        println!("{callers} callers: {:.0} writes/s", f64::from(writes) / seconds);
    }
    Ok(())
}

async fn measure(store: &Store, callers: u64, time: Duration) -> Result<u32, Failure> {
    let end = Instant::now() + time;
    let callers: Vec<_> = (0..callers).map(|_| tokio::spawn(insert_until(store.clone(), end))).collect();
    let mut writes = 0;
    for caller in callers {
        writes += caller.await??;
    }
    Ok(writes)
}

async fn insert_until(store: Store, end: Instant) -> Result<u32, StoreError> {
    let mut writes = 0;
    while Instant::now() < end {
        store.write::<_, StoreError, _>(|tx| Box::pin(async move { audit::append(tx, record()).await })).await?;
        writes += 1;
    }
    Ok(writes)
}

fn record() -> Record {
    Record {
        at_ms: 1_800_000_000_000,
        request_id: "01J0000000000000000000000".into(),
        source: "192.0.2.1".into(),
        identities: r#"[{"uuid":"00000000-0000-0000-0000-000000000001","name":"x"}]"#.into(),
        action: "SigningRequestSubmit".into(),
        object: None,
        outcome: "Success".into(),
        detail: "{}".into(),
        count: 1,
        node: None,
        account: None,
    }
}
