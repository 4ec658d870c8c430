//! Counters for Prometheus. One recorder for the process, because the counters that core keeps are global, too.

use std::sync::OnceLock;

use metrics::{counter, describe_counter, describe_histogram, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

const REQUESTS: &str = "chancery_http_requests_total";
const SECONDS: &str = "chancery_http_request_seconds";

/// Upper bounds of the histogram's buckets: from a cached tokenize call to an RSA key generation.
const BUCKETS: [f64; 12] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Begins to count, if nobody has yet: what is counted before goes nowhere.
pub(crate) fn install() {
    RECORDER.get_or_init(new_recorder);
}

/// The process's recorder; `None` where the process has one of another kind.
pub(crate) fn recorder() -> Option<&'static PrometheusHandle> {
    RECORDER.get()?.as_ref()
}

fn new_recorder() -> Option<PrometheusHandle> {
    let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Full(SECONDS.to_owned()), &BUCKETS).ok()?;
    let handle = builder.install_recorder().ok()?;
    describe_counter!(REQUESTS, "Requests answered, by method, route and status.");
    describe_histogram!(SECONDS, "Time from the head of a request to the head of its answer, by method and route.");
    Some(handle)
}

/// Counts one answered request.
pub(crate) fn count_request(method: &'static str, route: &str, status: u16, seconds: f64) {
    let route = route.to_owned();
    counter!(REQUESTS, "method" => method, "route" => route.clone(), "status" => status.to_string()).increment(1);
    histogram!(SECONDS, "method" => method, "route" => route).record(seconds);
}
