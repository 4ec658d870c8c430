//! A `chancery` process that does not outlive its test.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_testkit::{Tool, free_port};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::Value;

use crate::made;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_chancery");

/// How long a start may take on a slow machine: it makes RSA keys.
const START_MAX: Duration = Duration::from_secs(120);

/// The program with these arguments, for a command that ends.
pub(crate) fn chancery(arguments: &[&str]) -> Tool {
    Tool::new(PROGRAM).args(arguments)
}

/// A server process. Its standard output and its log go to files.
pub(crate) struct Server {
    child: Child,
    output: PathBuf,
    log: PathBuf,
}

impl Server {
    pub(crate) fn spawn(folder: &Path, arguments: &[&str]) -> Self {
        Self::begin(folder, Command::new(PROGRAM).args(arguments))
    }

    /// One whose log goes to a program instead, which need not read it: a command of bash.
    pub(crate) fn spawn_with_log_to(reader: &str, folder: &Path, arguments: &[&str]) -> Self {
        let line = format!("exec \"$0\" \"$@\" 2> >(exec {reader})");
        Self::begin(folder, Command::new("bash").args(["-c", &line, PROGRAM]).args(arguments))
    }

    /// One of whose files none may become longer than so many KiB, until that is taken back.
    pub(crate) fn spawn_with_short_files(kib: u32, folder: &Path, arguments: &[&str]) -> Self {
        let line = format!("ulimit -S -f {kib}; exec \"$0\" \"$@\"");
        Self::begin(folder, Command::new("bash").args(["-c", &line, PROGRAM]).args(arguments))
    }

    fn begin(folder: &Path, command: &mut Command) -> Self {
        let (output, log) = (folder.join("stdout"), folder.join("stderr"));
        let file = |path: &Path| Stdio::from(File::create(path).unwrap());
        command.stdin(Stdio::null()).stdout(file(&output)).stderr(file(&log));
        // No keys for a second call: making those took more of a processor than most tests.
        command.env("CHANCERY_RSA_POOL", "0");
        Self { child: command.spawn().unwrap(), output, log }
    }

    /// What it has written to standard output.
    pub(crate) fn output(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Whether it logs this soon: what is logged is written by a thread of its own, behind the answer.
    pub(crate) fn logs(&self, text: &str) -> bool {
        let started = Instant::now();
        while !self.log().contains(text) {
            if started.elapsed() > Duration::from_secs(20) {
                return false;
            }
            sleep(Duration::from_millis(20));
        }
        true
    }

    /// Waits until this is so; a server that ends before fails the test.
    pub(crate) fn wait_until<T>(&mut self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("{what}: the server ended with {status}: {}{}", self.output(), self.log());
            }
            assert!(started.elapsed() < START_MAX, "{what}: not in time: {}{}", self.output(), self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// What it holds in memory, in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        self.status("VmRSS:").trim_end_matches(" kB").parse().unwrap()
    }

    /// What it held in memory at most, in KiB.
    pub(crate) fn resident_max_kib(&self) -> u64 {
        self.status("VmHWM:").trim_end_matches(" kB").parse().unwrap()
    }

    /// Lets none of its files become longer than this; as long as they like without a number.
    pub(crate) fn bound_files(&self, bytes: Option<u64>) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let process = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        let _before = prlimit(process, Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    }

    /// Whether it has a handler for SIGHUP, which is signal 1.
    pub(crate) fn catches_hang_ups(&self) -> bool {
        u64::from_str_radix(&self.status("SigCgt:"), 16).unwrap() & 1 == 1
    }

    /// What the system says of the process.
    fn status(&self, name: &str) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let _sent = Tool::new("kill").args([signal, &self.child.id().to_string()]).run();
    }

    /// Kills it and waits until nothing is left of it: what it had locked is free.
    pub(crate) fn kill(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        // By itself: until another program is there to do it, a server that works has done much more.
        kill_process(pid, Signal::KILL).unwrap();
        // Whoever drops it reaps it.
        let _ended = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(mut self) -> ExitStatus {
        self.signal("-TERM");
        self.wait()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone_already = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A demonstration: its process and what its file says.
pub(crate) struct Demo {
    pub(crate) server: Server,
    pub(crate) state: Value,
}

impl Demo {
    /// Starts it and waits until it is ready. Its port stays its own when it has ended: it may be started again there.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_again(folder, &format!("127.0.0.1:{}", free_port()), arguments)
    }

    /// Starts a copy of one that was made before, in a folder where none is: for whoever does not look at how it is made.
    pub(crate) fn start_made(folder: &Path, arguments: &[&str]) -> Self {
        made::put(&folder.join("data"));
        Self::start(folder, arguments)
    }

    /// Starts one again where it was.
    pub(crate) fn start_at(folder: &Path, listen: &str) -> Self {
        Self::start_again(folder, listen, &[])
    }

    /// The same with these arguments.
    pub(crate) fn start_again(folder: &Path, listen: &str, arguments: &[&str]) -> Self {
        let data = folder.join("data");
        let base = ["quickstart", "--data", data.to_str().unwrap(), "--listen", listen];
        let mut server = Server::spawn(folder, &[&base[..], arguments].concat());
        // Not for the file: an earlier start's may lie there for a moment yet.
        server.wait_until("the last line", |server| server.output().contains("until Ctrl-C.").then_some(()));
        let state = fs::read(data.join("quickstart.json")).unwrap();
        Self { server, state: serde_json::from_slice(&state).unwrap() }
    }

    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.state.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer}"))
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> String {
        self.text("/base").trim_start_matches("https://").to_owned()
    }

    /// A client of it that is fully logged in.
    pub(crate) fn client(&self) -> chancery_client::Client {
        let authority = fs::read(self.text("/caFile")).unwrap();
        let client = chancery_client::Client::new(self.text("/base"), &authority).unwrap();
        for admin in ["/admins/0", "/admins/1"] {
            let (name, password) = (format!("{admin}/username"), format!("{admin}/password"));
            client.log_in(self.text(&name), self.text(&password)).unwrap();
        }
        client.take_token().unwrap();
        client
    }
}
