//! Servers under measurement: started on a free port, measured by the kernel's own accounts, stopped when dropped.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{Pace, process};
use crate::{Result, sh};

/// A running server. It is killed when dropped.
pub(super) struct Server {
    process: Child,
    pub(super) base: String,
}

impl Server {
    /// Starts a command and waits until `ready` says so.
    pub(super) fn start(command: &mut Command, base: String, ready: impl Fn() -> bool) -> Result<Self> {
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut server = Self { process: process.map_err(|error| format!("{command:?}: {error}"))?, base };
        server.wait(ready)?;
        Ok(server)
    }

    fn wait(&mut self, ready: impl Fn() -> bool) -> Result {
        let patience = Instant::now() + Duration::from_secs(60);
        while !ready() {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Err(format!("the server at {} ended with {status}", self.base));
            }
            if Instant::now() > patience {
                return Err(format!("the server at {} is not ready after a minute", self.base));
            }
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Memory that the process holds for itself now, in MiB: without what is mapped of files, the program and the
    /// journal, which the system takes back whenever it needs it.
    pub(super) fn own_mib(&self) -> Result<f64> {
        Ok(process::memory_kib(self.process.id(), "RssAnon:")? / 1024.0)
    }

    /// Memory that was in use at most since [`forget_peak`](Self::forget_peak), in millions of bytes.
    pub(super) fn peak_mb(&self) -> Result<f64> {
        process::peak_mb(self.process.id())
    }

    pub(super) fn forget_peak(&self) -> Result {
        process::forget_peak(self.process.id())
    }

    /// User and system time used so far.
    pub(super) fn cpu(&self) -> Result<Duration> {
        process::cpu(self.process.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _already_gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

/// A demo installation that serves, and a folder that goes with it.
pub(super) struct Chancery {
    pub(super) server: Server,
    /// The address without TLS.
    pub(super) plain_base: String,
    folder: PathBuf,
    details: Value,
}

impl Chancery {
    pub(super) fn start(name: &str) -> Result<Self> {
        Self::start_with(name, &[])
    }

    /// `options` go to the command line.
    pub(super) fn start_with(name: &str, options: &[&str]) -> Result<Self> {
        Self::start_as(program("chancery")?, name, options)
    }

    /// On a disk each of whose flushes takes so much longer.
    pub(super) fn start_on_slow_disk(name: &str, longer: Duration) -> Result<Self> {
        let source = sh::root().join("xtask/src/bench/slow_disk.c");
        let library = sh::root().join("target/bench/slow_disk.so");
        let longer = format!("-DLONGER_US={}", longer.as_micros());
        sh::run(sh::command("cc").args(["-shared", "-fPIC", "-O2", &longer, "-o"]).arg(&library).arg(source))?;
        let mut server = program("chancery")?;
        server.env("LD_PRELOAD", library);
        Self::start_as(server, name, &[])
    }

    fn start_as(command: Command, name: &str, options: &[&str]) -> Result<Self> {
        let folder = sh::root().join("target/bench").join(format!("data-{name}"));
        let _none_before = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let (server, plain_base) = serve(command, &folder, options, |_, file| file.exists())?;
        Ok(Self { server, plain_base, details: details(&folder)?, folder })
    }

    /// Stops the server and starts it anew on the same data; answers how long it took until it was ready for requests.
    pub(super) fn restart(&mut self) -> Result<Duration> {
        sh::run(sh::command("kill").arg(self.server.process.id().to_string()))?;
        self.server.process.wait().map_err(|error| error.to_string())?;
        let started = Instant::now();
        (self.server, self.plain_base) = serve(program("chancery")?, &self.folder, &[], |plain, _| is_ready(plain))?;
        let took = started.elapsed();
        // The demonstration tries itself out before it says that it is ready for people.
        self.server.wait(|| self.folder.join("quickstart.json").exists())?;
        self.details = details(&self.folder)?;
        Ok(took)
    }

    /// A member of quickstart.json.
    pub(super) fn detail(&self, pointer: &str) -> Result<&str> {
        self.details.pointer(pointer).and_then(Value::as_str).ok_or_else(|| format!("quickstart.json has no {pointer}"))
    }

    /// Where it keeps its data, until it is dropped.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The database's file.
    pub(super) fn database(&self) -> PathBuf {
        self.folder.join("chancery.db")
    }

    /// The root key's file.
    pub(super) fn root_key(&self) -> PathBuf {
        self.folder.join("root.key")
    }

    /// Reads the database's file, so that it is in the system's memory as that of a server in use is: else the first to be
    /// measured would measure the disk.
    pub(super) fn warm(&self) -> Result {
        let path = self.database();
        let read = File::open(&path).and_then(|mut file| io::copy(&mut file, &mut io::sink()));
        read.map(drop).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// A certificate chain and its key, for the servers measured beside it.
    pub(super) fn tls_files(&self) -> [PathBuf; 2] {
        ["tls/tls.pem", "tls/tls.key"].map(|file| self.folder.join(file))
    }

    /// Logs both administrators in and answers a bearer token.
    pub(super) fn token(&self) -> Result<String> {
        let jar = self.folder.join("cookies");
        for admin in 0..2 {
            let credentials = serde_json::json!({"authType": "userpass", "authCredentials": {
                "username": self.detail(&format!("/admins/{admin}/username"))?,
                "password": base64(self.detail(&format!("/admins/{admin}/password"))?),
            }});
            self.call(&["--cookie-jar", &text(&jar), "--cookie", &text(&jar)], "/home/v1/login", Some(&credentials))?;
        }
        let answer = self.call(&["--cookie", &text(&jar)], "/home/v1/login/token", None)?;
        answer["token"].as_str().map(str::to_owned).ok_or_else(|| format!("no token: {answer}"))
    }

    /// One call with a bearer token; a refusal is an error.
    pub(super) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let bearer = format!("Authorization: Bearer {}", self.token()?);
        let mut answer = self.call(&["--request", method, "--header", &bearer], path, body)?;
        if answer["success"] == true {
            Ok(answer["response"].take())
        } else {
            Err(format!("{method} {path}: {answer}"))
        }
    }

    /// One call by curl; with a body it is a POST.
    pub(super) fn call(&self, options: &[&str], path: &str, body: Option<&Value>) -> Result<Value> {
        let mut curl = sh::command("curl");
        curl.args(["--silent", "--show-error", "--cacert", self.detail("/caFile")?]).args(options);
        if let Some(body) = body {
            // A file, since a command line takes no large batch.
            let file = self.folder.join("request.json");
            fs::write(&file, body.to_string()).map_err(|error| format!("{}: {error}", file.display()))?;
            let data = format!("@{}", file.display());
            curl.args(["--header", "Content-Type: application/json", "--data-binary", &data]);
        }
        let answer = sh::output(curl.arg(format!("{}{path}", self.server.base)))?;
        serde_json::from_str(&answer).map_err(|error| format!("{path}: {error}: {answer}"))
    }
}

impl Drop for Chancery {
    fn drop(&mut self) {
        let _best_effort = fs::remove_dir_all(&self.folder);
    }
}

/// A bare axum echo behind the same TLS.
pub(super) fn echo(tls: Option<&[PathBuf; 2]>) -> Result<Server> {
    let address = free_address()?;
    let mut command = program("examples/echo")?;
    command.arg(&address).args(tls.into_iter().flatten());
    let scheme = if tls.is_some() { "https" } else { "http" };
    let ready = || TcpStream::connect(&address).is_ok();
    Server::start(&mut command, format!("{scheme}://{address}"), ready)
}

/// Where the programs are that are measured, once [`build`] has said it.
static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();

/// Builds what is measured, in one go: apart, the packages would share no dependency that has other features for each. A
/// quick look takes the debug build.
pub(super) fn build(pace: Pace) -> Result {
    let profile = if pace.quick { "debug" } else { "release" };
    let mut cargo = sh::cargo();
    cargo.args(["build", "--quiet", "--bins"]);
    if pace.quick {
        cargo.arg("--workspace").args(["--exclude", "xtask"]);
    } else {
        let packages =
            ["chancery", "chancery-bulk", "chancery-core", "chancery-journal", "chancery-server", "chancery-store"];
        cargo.arg("--release").args(packages.map(|name| ["--package", name]).as_flattened());
    }
    sh::run(
        cargo.args(["bare", "calls", "certificates", "echo", "rows"].map(|name| ["--example", name]).as_flattened()),
    )?;
    let _built_before = PROGRAMS.set(sh::root().join("target").join(profile));
    Ok(())
}

/// A program that was built: `chancery`, or an example.
pub(super) fn program(path: &str) -> Result<Command> {
    Ok(sh::command(PROGRAMS.get().ok_or("nothing was built")?.join(path)))
}

/// A demonstration on free ports; `ready` is asked with the address without TLS and with quickstart.json's path.
fn serve(
    mut command: Command,
    folder: &Path,
    options: &[&str],
    ready: impl Fn(&str, &Path) -> bool,
) -> Result<(Server, String)> {
    let (address, plain) = (free_address()?, free_address()?);
    // RSA keys would be made ahead while something else is measured.
    command
        .args(["quickstart", "--rsa-pool", "0", "--listen", &address, "--plain-listen", &plain, "--data"])
        .arg(folder)
        .args(options);
    let file = folder.join("quickstart.json");
    let server = Server::start(&mut command, format!("https://{address}"), || ready(&plain, &file))?;
    Ok((server, format!("http://{plain}")))
}

fn details(folder: &Path) -> Result<Value> {
    let text = fs::read_to_string(folder.join("quickstart.json")).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// Whether a server answers `GET /readyz` with 200. A connection of our own: starting curl takes as long as what is
/// measured.
fn is_ready(address: &str) -> bool {
    let answer = || -> io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    answer().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
}

pub(super) fn free_address() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.to_string()).map_err(|error| error.to_string())
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The id of a built-in key type.
pub(super) fn key_type(number: u8) -> String {
    format!("00000000-0000-0000-6b74-{number:012x}")
}

/// Standard base64, of short texts.
pub(super) fn base64(text: &str) -> String {
    const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let symbol = |group: u32, place: u32| char::from(SYMBOLS[(group >> (18 - 6 * place) & 63) as usize]);
    let group = |bytes: &[u8]| {
        let group = bytes.iter().fold(0, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - bytes.len()));
        (0..4)
            .map(move |place| if place as usize <= bytes.len() { symbol(group, place) } else { '=' })
            .collect::<Vec<_>>()
    };
    text.as_bytes().chunks(3).flat_map(group).collect()
}

#[test]
fn base64_is_the_standards() {
    // RFC 4648, section 10.
    for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
        assert_eq!(base64(text), encoded);
    }
}
