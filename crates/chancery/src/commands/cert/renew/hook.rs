//! What is run when a certificate was renewed.

use std::{
    ffi::OsString,
    io,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long it may take: whatever reloads a program is done by then, and a renewal must not wait for ever.
const PATIENCE: Duration = Duration::from_mins(10);

/// How long it may take to end when it is told to.
const LAST_WAIT: Duration = Duration::from_secs(5);

const LOOK: Duration = Duration::from_millis(20);

/// What others must not know.
const SECRETS: [&str; 2] = ["CHANCERY_API_KEY", "CHANCERY_P12_PASSWORD"];

/// What it is told, by its environment.
pub(super) struct About<'a> {
    pub(super) uuid: &'a str,
    pub(super) not_after: &'a str,
    pub(super) cert: &'a Path,
    pub(super) key: Option<&'a Path>,
    pub(super) p12: Option<&'a Path>,
}

/// Runs it. What it writes goes to standard error, for standard output has answers.
pub(super) fn run(line: &str, about: &About<'_>) -> Result<(), String> {
    let absolute = |path: &Path| std::path::absolute(path).map_or_else(|_| path.into(), OsString::from);
    let mut command = Command::new("sh");
    command.args(["-c", line]).stdin(Stdio::null()).stdout(io::stderr()).process_group(0);
    command.env("CHANCERY_CERT_UUID", about.uuid).env("CHANCERY_CERT_NOT_AFTER", about.not_after);
    let files = [("CERT", Some(about.cert)), ("KEY", about.key), ("P12", about.p12)];
    for (what, path) in files {
        command.env(format!("CHANCERY_{what}_FILE"), path.map(absolute).unwrap_or_default());
    }
    SECRETS.iter().for_each(|secret| {
        command.env_remove(secret);
    });
    let mut child = command.spawn().map_err(|error| format!("the hook could not be run: sh: {error}"))?;
    match ended_within(&mut child, PATIENCE) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(format!("the hook failed: {status}")),
        Ok(None) => {
            end(&mut child);
            Err(format!("the hook took longer than {} s and was ended", PATIENCE.as_secs()))
        }
        Err(error) => Err(format!("the hook could not be waited for: {error}")),
    }
}

fn ended_within(child: &mut Child, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        match child.try_wait()? {
            None if begun.elapsed() < patience => sleep(LOOK),
            ended => return Ok(ended),
        }
    }
}

/// Ends it and whatever it has begun.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    for signal in [Signal::TERM, Signal::KILL] {
        // It may have ended by itself meanwhile.
        let _gone = group.map(|group| kill_process_group(group, signal));
        if !matches!(ended_within(child, LAST_WAIT), Ok(None)) {
            return;
        }
    }
}
