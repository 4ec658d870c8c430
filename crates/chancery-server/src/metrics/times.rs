//! How long requests take, as a histogram whose size does not depend on how many there were: the exporter's own keeps
//! every single time until somebody asks for it.

use std::{
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

const NAME: &str = "chancery_http_request_seconds";
const HELP: &str = "Time from the head of a request to the head of its answer, by method and route.";

/// Upper bounds of the buckets, in microseconds and as they are written: from a cached tokenize call to an RSA key
/// generation.
const BUCKETS: [(u64, &str); 12] = [
    (100, "0.0001"),
    (300, "0.0003"),
    (1_000, "0.001"),
    (3_000, "0.003"),
    (10_000, "0.01"),
    (30_000, "0.03"),
    (100_000, "0.1"),
    (300_000, "0.3"),
    (1_000_000, "1"),
    (3_000_000, "3"),
    (10_000_000, "10"),
    (30_000_000, "30"),
];

/// The times of one method and route.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// How many fell between one bound and the next; the last one has those above all bounds.
    buckets: [AtomicU64; BUCKETS.len() + 1],
    sum_ns: AtomicU64,
}

struct Labelled {
    method: &'static str,
    route: Box<str>,
    times: Arc<Times>,
}

static ALL: Mutex<Vec<Labelled>> = Mutex::new(Vec::new());

/// The times of a method and route; looked up once per thread.
pub(super) fn of(method: &'static str, route: &str) -> Arc<Times> {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.iter().find(|known| known.method == method && *known.route == *route);
    if let Some(known) = known {
        return Arc::clone(&known.times);
    }
    let times = Arc::<Times>::default();
    all.push(Labelled { method, route: route.into(), times: Arc::clone(&times) });
    times
}

impl Times {
    /// Notes one more.
    pub(super) fn note(&self, time: Duration) {
        let bucket = BUCKETS.iter().position(|(bound_us, _)| time <= Duration::from_micros(*bound_us));
        self.buckets[bucket.unwrap_or(BUCKETS.len())].fetch_add(1, Ordering::Relaxed);
        // Full after five centuries of waiting.
        self.sum_ns.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

/// Appends the histogram in Prometheus' text format.
pub(super) fn render(text: &mut String) {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let _infallible = writeln!(text, "# HELP {NAME} {HELP}\n# TYPE {NAME} histogram");
    for Labelled { method, route, times } in all.iter() {
        let _infallible = write(text, method, route, times);
    }
}

fn write(text: &mut String, method: &str, route: &str, times: &Times) -> std::fmt::Result {
    let labels = format!("method=\"{method}\",route=\"{route}\"");
    let mut count = 0;
    let bounds = BUCKETS.iter().map(|(_, bound)| *bound).chain(["+Inf"]);
    for (bound, bucket) in bounds.zip(&times.buckets) {
        count += bucket.load(Ordering::Relaxed);
        writeln!(text, "{NAME}_bucket{{{labels},le=\"{bound}\"}} {count}")?;
    }
    let sum = Duration::from_nanos(times.sum_ns.load(Ordering::Relaxed)).as_secs_f64();
    writeln!(text, "{NAME}_sum{{{labels}}} {sum}\n{NAME}_count{{{labels}}} {count}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_bucket_of_its_bound_and_all_above() {
        let times = Times::default();
        for time_us in [0, 100, 101, 30_000_000, 30_000_001] {
            times.note(Duration::from_micros(time_us));
        }
        let mut text = String::new();
        write(&mut text, "GET", "/x/{uuid}", &times).unwrap();
        let labels = "method=\"GET\",route=\"/x/{uuid}\"";
        for (bound, count) in [("0.0001", 2), ("0.0003", 3), ("10", 3), ("30", 4), ("+Inf", 5)] {
            assert!(text.contains(&format!("{NAME}_bucket{{{labels},le=\"{bound}\"}} {count}\n")), "{bound}: {text}");
        }
        assert!(text.ends_with(&format!("{NAME}_sum{{{labels}}} 60.000202\n{NAME}_count{{{labels}}} 5\n")), "{text}");
    }

    #[test]
    fn a_route_has_one_histogram_however_often_it_is_asked_for() {
        let (first, second) = (of("GET", "/once"), of("GET", "/once"));
        assert!(Arc::ptr_eq(&first, &second));
        assert!(!Arc::ptr_eq(&first, &of("POST", "/once")));
    }
}
