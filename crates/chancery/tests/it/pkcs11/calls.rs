//! Calls from C: the standard's rules, threads, forks, and a server that is killed meanwhile.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

use super::{Setting, module};
use crate::process::Demo;

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

    // Four children, and the parent once more.
    let lines = call(&setting, "forks", 100);
    assert_eq!(setting.verified("keys", &lines), 105);

    killed_meanwhile(&mut setting);
}

fn killed_meanwhile(setting: &mut Setting) {
    let mut caller = Command::new(setting.place.path("caller"))
        .args(["commands".as_ref(), module().as_os_str(), setting.api_key.as_ref(), "keys".as_ref()])
        .env("CHANCERY_PKCS11_CONFIG", setting.place.path("pin.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut orders, answers) = (caller.stdin.take().unwrap(), BufReader::new(caller.stdout.take().unwrap()));
    let mut answers = answers.lines().map(Result::unwrap);
    let mut signatures = String::new();
    let mut sign = |signatures: &mut String| {
        writeln!(orders, "message").unwrap();
        let line = answers.next().unwrap();
        // A signature stands before its code.
        if line.starts_with("0x") {
            return line;
        }
        signatures.push_str(&format!("{line}\n"));
        answers.next().unwrap()
    };
    assert_eq!(sign(&mut signatures), "0x0");
    setting.place.demo.server.signal("-KILL");
    setting.place.demo.server.wait();
    // CKR_DEVICE_ERROR, as often as one tries.
    assert_eq!(sign(&mut signatures), "0x30");
    assert_eq!(sign(&mut signatures), "0x30");
    let listen = setting.place.base().replace("https://", "");
    setting.place.demo = Demo::start_at(setting.place.folder(), &listen);
    // The session ended with the server: the module logs in again.
    assert_eq!(sign(&mut signatures), "0x0");
    drop(orders);
    assert!(caller.wait().unwrap().success());
    setting.place.sh("chancery login Admin1 Admin2 --password-file one --password-file two").done();
    assert_eq!(setting.verified("keys", &signatures), 2);
}
