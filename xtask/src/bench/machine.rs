//! What machine a benchmark ran on.

use std::{fs, io::Write as _, thread, time::Instant};

use serde_json::{Value, json};

use crate::{Result, sh};

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

/// The median time that the disk under target/bench takes to make a page durable, in milliseconds.
pub(super) fn flush_ms() -> Result<f64> {
    const PAGES: usize = 50;
    let file = sh::root().join("target/bench/flush");
    let flushes = || -> std::io::Result<Vec<f64>> {
        let mut opened = fs::File::create(&file)?;
        let mut times = Vec::new();
        for _ in 0..PAGES {
            let started = Instant::now();
            opened.write_all(&[7; 4096])?;
            opened.sync_data()?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        fs::remove_file(&file)?;
        Ok(times)
    };
    flushes().map(super::median).map_err(|error| format!("{}: {error}", file.display()))
}
