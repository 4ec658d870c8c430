//! How many new tokens a vault takes in: `cargo xtask bench profiles` runs this as a test of the release build.

use std::time::Instant;

use serde_json::json;

use super::tests::{Bench, batch, cards};

const BATCHES: usize = 20;
const VALUES: usize = 10_000;

/// Writes one JSON object to the file that CHANCERY_FIGURES names: for each kind of profile the median of the new tokens
/// per second, in batches on SQLite, flushed to the disk.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement, run by `cargo xtask bench profiles`"]
async fn measure_new_tokens() {
    let mut rates = Vec::new();
    for deterministic in [true, false] {
        let bench = Bench::new(json!({"deterministic": deterministic})).await;
        let mut seconds = Vec::new();
        for messages in cards(BATCHES * VALUES).chunks(VALUES) {
            let begin = Instant::now();
            let tokens = batch(bench.chancery(), &bench.caller, bench.id, messages).await;
            seconds.push(begin.elapsed().as_secs_f64());
            assert_eq!(tokens.iter().flatten().count(), VALUES);
        }
        seconds.sort_by(f64::total_cmp);
        rates.push(VALUES as f64 / seconds[BATCHES / 2]);
    }
    let figures = json!({"deterministic": rates[0], "one token for each call": rates[1]});
    let file = std::env::var_os("CHANCERY_FIGURES").expect("`cargo xtask bench profiles` names the file");
    std::fs::write(file, figures.to_string()).unwrap();
}
