//! A program that is measured from its beginning to its end, by the kernel's own accounts.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::Result;

/// How often a running program is looked at. Its end is seen no later than so.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// What a program took.
pub(super) struct Ended {
    pub(super) took: Duration,
    /// User and system time.
    pub(super) cpu: Duration,
    /// Memory in use, at most, in millions of bytes.
    pub(super) peak_mb: f64,
}

/// Runs to the end and answers what it printed, which is little; an error unless it succeeds.
pub(super) fn run(command: &mut Command) -> Result<(Ended, String)> {
    let started = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.map_err(|error| format!("{command:?}: {error}"))?;
    let mut peak = 0.0_f64;
    // A program that has ended has no memory any more, and keeps its other accounts until somebody waits for it.
    while state(child.id())? != 'Z' {
        peak = peak.max(peak_mb(child.id()).unwrap_or_default());
        thread::sleep(LOOK_EVERY);
    }
    let took = started.elapsed();
    let cpu = cpu(child.id())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{command:?} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    Ok((Ended { took, cpu, peak_mb: peak }, String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// User and system time used so far (fields 14 and 15 of /proc/PID/stat, in hundredths of a second).
pub(super) fn cpu(process: u32) -> Result<Duration> {
    let stat = stat(process)?;
    let ticks: u64 = stat.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}

fn state(process: u32) -> Result<char> {
    stat(process)?.trim_start().chars().next().ok_or_else(|| format!("/proc/{process}/stat: no state"))
}

/// Behind the second field, the program's name in parentheses, which may hold spaces.
fn stat(process: u32) -> Result<String> {
    let file = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    Ok(stat.rsplit_once(')').map_or("", |(_, rest)| rest).to_owned())
}

/// Memory in use, at most since the start or since [`forget_peak`], in millions of bytes.
pub(super) fn peak_mb(process: u32) -> Result<f64> {
    Ok(memory_kib(process, "VmHWM:")? * 1024.0 / 1e6)
}

pub(super) fn forget_peak(process: u32) -> Result {
    // proc(5): 5 resets the peak.
    let file = format!("/proc/{process}/clear_refs");
    fs::write(&file, "5").map_err(|error| format!("{file}: {error}"))
}

/// A line of /proc/PID/status.
pub(super) fn memory_kib(process: u32, name: &str) -> Result<f64> {
    let file = format!("/proc/{process}/status");
    let status = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().map_err(|_| format!("{file}: no {name}"))
}
