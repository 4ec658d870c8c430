//! How many requests were answered, and how long they took, as a histogram whose size does not depend on how many there
//! were: the exporter's own keeps every single time until somebody asks for it.
//!
//! Every thread counts for itself, and what they counted is added up when somebody asks: a number that all of them
//! change would travel from core to core with every request. It is here for the memory: the exporter's own costs a call
//! 2 % more processor time, and holds 16 bytes of each request until it is asked (decision 0158).

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fmt::{self, Write as _},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use foldhash::fast::RandomState;

const REQUESTS: &str = "chancery_http_requests_total";
const REQUESTS_HELP: &str = "Requests answered, by method, route and status.";
const TIMES: &str = "chancery_http_request_seconds";
const TIMES_HELP: &str = "Time from the head of a request to the head of its answer, by method and route.";

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

/// What is counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Labels {
    method: &'static str,
    route: Box<str>,
    status: u16,
}

/// What one thread counted of them. On cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Tally {
    /// How many times fell between one bound and the next; the last one has those above all bounds.
    buckets: [AtomicU64; BUCKETS.len() + 1],
    sum_ns: AtomicU64,
}

static ALL: Mutex<Vec<(Labels, Arc<Tally>)>> = Mutex::new(Vec::new());

/// Few: methods and routes are of our making, and each route has a handful of statuses; so their hash need not
/// withstand floods.
type Known = HashMap<(&'static str, u16), HashMap<Box<str>, Arc<Tally>, RandomState>, RandomState>;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// Counts one answered request.
pub(crate) fn count_request(method: &'static str, route: &str, status: u16, time: Duration) {
    KNOWN.with_borrow_mut(|known| {
        let routes = known.entry((method, status)).or_default();
        match routes.get(route) {
            Some(tally) => tally.note(time),
            None => routes.entry(route.into()).or_insert_with(|| new_tally(method, route, status)).note(time),
        }
    });
}

fn all() -> MutexGuard<'static, Vec<(Labels, Arc<Tally>)>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn new_tally(method: &'static str, route: &str, status: u16) -> Arc<Tally> {
    let tally = Arc::<Tally>::default();
    all().push((Labels { method, route: route.into(), status }, Arc::clone(&tally)));
    tally
}

impl Tally {
    /// Notes one more. Nobody else writes here, so the numbers need not be changed in one step.
    fn note(&self, time: Duration) {
        let add = |number: &AtomicU64, more| {
            number.store(number.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        };
        let bucket = BUCKETS.iter().position(|(bound_us, _)| time <= Duration::from_micros(*bound_us));
        add(&self.buckets[bucket.unwrap_or(BUCKETS.len())], 1);
        // Full after five centuries of waiting.
        add(&self.sum_ns, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }
}

/// What all threads counted together.
#[derive(Clone, Copy, Default)]
struct Sum {
    buckets: [u64; BUCKETS.len() + 1],
    sum_ns: u64,
}

impl Sum {
    fn add(&mut self, tally: &Tally) {
        for (sum, bucket) in self.buckets.iter_mut().zip(&tally.buckets) {
            *sum += bucket.load(Ordering::Relaxed);
        }
        self.sum_ns += tally.sum_ns.load(Ordering::Relaxed);
    }
}

/// Appends the counts and the histogram in Prometheus' text format.
pub(super) fn render(text: &mut String) {
    let _infallible = write(text, &all());
}

fn write(text: &mut String, tallies: &[(Labels, Arc<Tally>)]) -> fmt::Result {
    let (mut answered, mut times) = (BTreeMap::<&Labels, u64>::new(), BTreeMap::<_, Sum>::new());
    for (labels, tally) in tallies {
        let sum = times.entry((labels.method, &labels.route)).or_default();
        sum.add(tally);
        *answered.entry(labels).or_default() +=
            tally.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum::<u64>();
    }
    writeln!(text, "# HELP {REQUESTS} {REQUESTS_HELP}\n# TYPE {REQUESTS} counter")?;
    for (Labels { method, route, status }, count) in answered {
        writeln!(text, "{REQUESTS}{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}")?;
    }
    writeln!(text, "# HELP {TIMES} {TIMES_HELP}\n# TYPE {TIMES} histogram")?;
    for ((method, route), Sum { buckets, sum_ns }) in times {
        let labels = format!("method=\"{method}\",route=\"{route}\"");
        let mut count = 0;
        let bounds = BUCKETS.iter().map(|(_, bound)| *bound).chain(["+Inf"]);
        for (bound, bucket) in bounds.zip(buckets) {
            count += bucket;
            writeln!(text, "{TIMES}_bucket{{{labels},le=\"{bound}\"}} {count}")?;
        }
        let sum = Duration::from_nanos(sum_ns).as_secs_f64();
        writeln!(text, "{TIMES}_sum{{{labels}}} {sum}\n{TIMES}_count{{{labels}}} {count}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_time_is_in_the_bucket_of_its_bound_and_all_above() {
        let (ok, refused) = (Arc::<Tally>::default(), Arc::<Tally>::default());
        for time_us in [0, 100, 101, 30_000_000] {
            ok.note(Duration::from_micros(time_us));
        }
        refused.note(Duration::from_micros(30_000_001));
        let labels = |status| Labels { method: "GET", route: "/x/{uuid}".into(), status };
        let mut text = String::new();
        write(&mut text, &[(labels(200), Arc::clone(&ok)), (labels(400), refused), (labels(200), ok)]).unwrap();
        let labels = "method=\"GET\",route=\"/x/{uuid}\"";
        for (status, count) in [(200, 8), (400, 1)] {
            assert!(text.contains(&format!("{REQUESTS}{{{labels},status=\"{status}\"}} {count}\n")), "{text}");
        }
        for (bound, count) in [("0.0001", 4), ("0.0003", 6), ("10", 6), ("30", 8), ("+Inf", 9)] {
            assert!(text.contains(&format!("{TIMES}_bucket{{{labels},le=\"{bound}\"}} {count}\n")), "{bound}: {text}");
        }
        assert!(text.ends_with(&format!("{TIMES}_sum{{{labels}}} 90.000403\n{TIMES}_count{{{labels}}} 9\n")), "{text}");
    }

    #[test]
    fn what_threads_count_at_once_is_all_there() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1_000).for_each(|_| count_request("GET", "/once", 200, Duration::ZERO)));
            }
        });
        let mut text = String::new();
        render(&mut text);
        assert!(
            text.contains(&format!("{REQUESTS}{{method=\"GET\",route=\"/once\",status=\"200\"}} 4000\n")),
            "{text}"
        );
    }
}
