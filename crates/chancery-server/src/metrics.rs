//! Counters for Prometheus. One recorder for the process, because the counters that core keeps are global, too.

use std::sync::OnceLock;

use metrics::{counter, describe_counter, describe_histogram, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

const REQUESTS: &str = "chancery_http_requests_total";
const SECONDS: &str = "chancery_http_request_seconds";

/// Upper bounds of the histogram's buckets: from a cached tokenize call to an RSA key generation.
const BUCKETS: [f64; 12] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// The process's recorder, installed at first use.
pub(crate) fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER.get_or_init(install).as_ref()
}

/// `None` where the process has a recorder of another kind already.
fn install() -> Option<PrometheusHandle> {
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
