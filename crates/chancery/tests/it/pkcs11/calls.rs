//! Calls from C: the standard's rules, threads, forks, and a server that is killed meanwhile.

use std::{
    env, fs,
    fs::File,
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::sleep,
    time::Duration,
};

use super::{Setting, module};
use crate::process::Demo;

/// Of the caller in C.
const THREADS: usize = 16;

const OK: &str = "0x0";
const DEVICE_ERROR: &str = "0x30";
const KEY_HANDLE_INVALID: &str = "0x60";

#[test]
fn a_program_in_c_signs() {
    let mut setting = Setting::new();
    setting.service("keys", "EC P-256", "Sha2_256", "--num-approvals 0");
    setting.compile_caller();
    let key = setting.api_key.clone();
    let call = |setting: &Setting, what: &str, number: usize| {
        setting.sh("pin.toml", &format!("./caller {what} $MODULE {key} keys {number}")).done()
    };

    let lines = call(&setting, "rules", 0);
    assert_eq!(setting.verified("keys", &lines), 1);
    assert_eq!(setting.requests("Signed"), 1, "who asks for a length has nothing signed");

    let number = if env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { 10_000 } else { 800 };
    let lines = call(&setting, "threads", number);
    assert_eq!(setting.verified("keys", &lines), number);

    // Four children, and the parent before and afterwards.
    let lines = call(&setting, "forks", 100);
    assert_eq!(setting.verified("keys", &lines), 106);

    version_3(&setting);
    renewed_meanwhile(&setting);
    killed_meanwhile(&mut setting);
    killed_under_threads(&mut setting, number);
}

/// The interfaces of PKCS#11 3.0, with a header of it and for OpenSC, which asks for the newest.
fn version_3(setting: &Setting) {
    setting.compile_interfaces();
    let key = &setting.api_key;
    let line = setting.sh("pin.toml", &format!("./interfaces $MODULE {key} keys")).done();
    assert_eq!(setting.verified("keys", &line), 1);
    let said = setting.sh("pin.toml", "pkcs11-tool --module $MODULE --show-info").done();
    assert!(said.contains("Cryptoki version 3.0"), "{said}");
}

fn caller(setting: &Setting, what: &str) -> Command {
    let mut caller = Command::new(setting.place.path("caller"));
    caller
        .args([what.as_ref(), module().as_os_str(), setting.api_key.as_ref(), "keys".as_ref()])
        .env("CHANCERY_PKCS11_CONFIG", setting.place.path("pin.toml"));
    caller
}

/// A caller that signs whenever it is told to.
struct Signer {
    process: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    signatures: String,
}

impl Signer {
    fn start(setting: &Setting) -> Self {
        let mut process = caller(setting, "commands").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let orders = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, orders, answers, signatures: String::new() }
    }

    /// The code of one signature.
    fn sign(&mut self) -> String {
        writeln!(self.orders, "message").unwrap();
        let line = self.answers.next().unwrap().unwrap();
        // A signature stands before its code.
        if line.starts_with("0x") {
            return line;
        }
        self.signatures.push_str(&format!("{line}\n"));
        self.answers.next().unwrap().unwrap()
    }

    /// Its signatures, once it has ended.
    fn end(mut self) -> String {
        drop(self.orders);
        assert!(self.process.wait().unwrap().success());
        self.signatures
    }
}

/// A handle is of one key: what the service signs with afterwards is another one's.
fn renewed_meanwhile(setting: &Setting) {
    let mut signer = Signer::start(setting);
    assert_eq!(signer.sign(), OK);
    let before = signer.signatures.clone();
    assert_eq!(setting.verified("keys", &before), 1);
    setting.place.sh("chancery service renew keys").done();
    // The signature of the other key is not given out, unless the key is known to be gone already.
    let code = signer.sign();
    assert!([DEVICE_ERROR, KEY_HANDLE_INVALID].contains(&code.as_str()), "{code}");
    assert_eq!(signer.sign(), KEY_HANDLE_INVALID);
    assert_eq!(signer.end(), before);
}

fn killed_meanwhile(setting: &mut Setting) {
    let mut signer = Signer::start(setting);
    assert_eq!(signer.sign(), OK);
    setting.place.demo.server.kill();
    // As often as one tries.
    assert_eq!(signer.sign(), DEVICE_ERROR);
    assert_eq!(signer.sign(), DEVICE_ERROR);
    let listen = setting.place.demo.address();
    setting.place.demo = Demo::start_at(setting.place.folder(), &listen);
    // The session ended with the server: the module logs in again.
    assert_eq!(signer.sign(), OK);
    let signatures = signer.end();
    setting.place.sh("chancery login Admin1 Admin2 --password-file one --password-file two").done();
    assert_eq!(setting.verified("keys", &signatures), 2);
}

/// The server is killed while all threads sign, and comes back: each of them goes on, and no signature is missing.
fn killed_under_threads(setting: &mut Setting, number: usize) {
    let lines = setting.place.path("outage.lines");
    let caller = caller(setting, "outage")
        .arg(number.to_string())
        .stdout(File::create(&lines).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let made = || fs::read_to_string(&lines).unwrap().lines().count();
    while made() < number / 2 {
        sleep(Duration::from_millis(5));
    }
    setting.place.demo.server.kill();
    assert!(made() < number, "it was killed too late");
    // So that each of the threads meets nobody.
    sleep(Duration::from_secs(1));
    let listen = setting.place.demo.address();
    setting.place.demo = Demo::start_at(setting.place.folder(), &listen);
    let ended = caller.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success(), "{said}");
    let refused: usize = said.trim().parse().unwrap();
    assert!(refused >= THREADS, "{refused}");
    setting.place.sh("chancery login Admin1 Admin2 --password-file one --password-file two").done();
    assert_eq!(setting.verified("keys", &fs::read_to_string(&lines).unwrap()), number);
}
