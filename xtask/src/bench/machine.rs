//! What machine a benchmark ran on.

use std::{fs, thread};

use serde_json::{Value, json};

/// Processor, cores and memory, as the kernel names them.
pub(crate) fn describe() -> Value {
    let cpu = field("/proc/cpuinfo", "model name");
    let memory_kib: Option<u64> =
        field("/proc/meminfo", "MemTotal").and_then(|text| text.split_whitespace().next()?.parse().ok());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|text| text.trim().to_owned());
    json!({
        "cpu": cpu,
        "cores": thread::available_parallelism().ok().map(usize::from),
        "memoryGiB": memory_kib.map(|kib| kib / (1024 * 1024)),
        "kernel": kernel,
    })
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
