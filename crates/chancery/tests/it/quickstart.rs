//! The demonstration from its first start to its end.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use chancery_testkit::{Tool, temp_dir};

use crate::process::{Demo, Server, chancery};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The lines to paste, as they stand on the terminal.
fn pasted(output: &str) -> &str {
    let begin = output.find("BASE=").expect("curl lines");
    let end = output.find("Try first, in a browser: ").expect("the console");
    &output[begin..end]
}

#[test]
fn it_tries_itself_out_and_its_lines_work_as_pasted() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let output = demo.server.output();
    assert!(output.starts_with("chancery quickstart: a DEMONSTRATION."), "{output}");
    for step in 1..=11 {
        assert!(output.contains(&format!("\n{step:>3}. ok ")), "step {step}: {output}");
    }

    let (data, state) = (folder.path().join("data"), folder.path().join("data/quickstart.json"));
    assert_eq!((mode(&data), mode(&state), mode(&data.join("root.key"))), (0o700, 0o600, 0o600));
    assert!(demo.text("/base").starts_with("https://127.0.0.1:"));
    assert!(Path::new(demo.text("/caFile")).is_absolute());

    for admin in ["/admins/0/password", "/admins/1/password", "/approver/password"] {
        let password = demo.text(admin);
        assert!(password.len() == 24 && password.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert!(!output.contains(password) && !demo.server.log().contains(password), "a password was printed");
    }

    the_console_is_told(&demo, &output, &state);
    let lines = pasted(&output);
    let ran = Tool::new("sh").arg("-e").input(lines).run();
    let text = ran.text();
    assert!(text.contains(r#""fullyLoggedIn":true"#), "{text}");
    assert!(text.contains(r#""message":"4111111111111111""#), "{text}");
    assert!(text.contains("before: Approval"), "{text}");
    assert_eq!(ran.stderr.matches("erification successful").count(), 2, "{}", ran.stderr);
}

/// The address that is told answers with the console, and the file that is told has the passwords for it.
fn the_console_is_told(demo: &Demo, output: &str, state: &Path) {
    let told = output.split("Try first, in a browser: ").nth(1).unwrap();
    let address = told.split(' ').next().unwrap();
    assert_eq!(address, format!("{}/", demo.text("/base")));
    let page = Tool::new("curl")
        .args(["-sS", "--fail", "-H", "Accept: text/html", "--cacert", demo.text("/caFile"), address])
        .run()
        .text();
    assert!(page.starts_with("<!doctype html>"), "{page}");
    assert!(told.contains("Log in as Admin1 and Admin2, ") && told.contains("Approver1 approves"), "{told}");
    assert!(told.contains(&format!("Passwords: {}\n", state.display())), "{told}");
    assert!(told.contains(&format!("until it trusts {}\n", demo.text("/caFile"))), "{told}");
}

#[test]
fn the_lines_of_readme_work_as_pasted() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let lines: String = blocks.filter(|block| !block.starts_with("cargo ")).collect();
    assert!(lines.contains("chancery sign"), "README shows how to sign");
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, folder.path().join(to)).unwrap();
    link(&folder.path().join("data"), "chancery-data");
    fs::create_dir_all(folder.path().join("target/release")).unwrap();
    link(Path::new(crate::process::PROGRAM), "target/release/chancery");
    fs::write(folder.path().join("README.md"), &readme).unwrap();
    let lines = lines.replace("https://127.0.0.1:8443", demo.text("/base"));
    let shell = Tool::new("sh").arg("-eu").folder(folder.path()).env("XDG_CONFIG_HOME", folder.path().join("home"));
    let text = shell.input(lines).run().text();
    assert!(text.contains("as Admin1 and Admin2."), "{text}");
    assert!(text.contains("README.md: signed and verified: chancery-data/README.md.p7s\n"), "{text}");
    assert!(text.ends_with("verified\n"), "{text}");
}

#[test]
fn a_second_start_takes_nothing_from_the_running_one() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let data = folder.path().join("data");
    let (data, key) = (data.to_str().unwrap(), folder.path().join("other.key"));
    let state = fs::read(folder.path().join("data/quickstart.json")).unwrap();
    let of_data = ["--data", data, "--root-key", key.to_str().unwrap()];
    for command in [&["quickstart", "--listen", "127.0.0.1:0"][..], &["serve", "--listen", "127.0.0.1:0"], &["init"]] {
        let started = chancery(&[command, &of_data].concat());
        let started = started.env("CHANCERY_ADMIN1_PASSWORD", "long enough for one");
        let refused = started.env("CHANCERY_ADMIN2_PASSWORD", "long enough for two").try_run();
        assert!(!refused.status.success(), "{command:?}");
        assert!(refused.stderr.contains("is in use by process "), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(demo.text("/base")), "{command:?}: {}", refused.stderr);
    }
    // From another folder, and where somebody has removed the lock of this one.
    fs::remove_file(folder.path().join("data/lock")).unwrap();
    let (store, other) = (format!("{data}/chancery.db"), folder.path().join("other"));
    let at_store = ["--data", other.to_str().unwrap(), "--store", &store, "--root-key", &format!("{data}/root.key")];
    for arguments in [&of_data[..2], &at_store] {
        let refused = chancery(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat()).try_run();
        let why = "chancery.db is in use by process ";
        assert!(refused.stderr.contains(why), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("several servers need PostgreSQL"), "{}", refused.stderr);
    }
    // By another name of the file itself, beside which lies no lock.
    let linked = temp_dir();
    fs::hard_link(&store, linked.path().join("chancery.db")).unwrap();
    let at_link = ["--data", linked.path().to_str().unwrap(), "--root-key", &format!("{data}/root.key")];
    let refused = chancery(&[&["serve", "--listen", "127.0.0.1:0"], &at_link[..]].concat()).try_run();
    assert!(refused.stderr.contains("to which it has another name"), "{}", refused.stderr);
    assert_eq!(fs::read(folder.path().join("data/quickstart.json")).unwrap(), state);
    demo.client();
    // A command there would write into a log of its own, and one where the log is gone into a new one.
    let copy = folder.path().join("copy.db").display().to_string();
    let log = folder.path().join("data/chancery.db-wal");
    let commands =
        [&["settings", "--api-access", "off"][..], &["backup", &copy], &["rows", "list"], &["audit", "verify"]];
    for command in commands {
        let refused = chancery(&[command, &at_link[..]].concat()).try_run();
        assert_eq!(refused.status.code(), Some(2), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("to which it has another name"), "{command:?}: {}", refused.stderr);
    }
    // What the server left that was refused: its own lock, and that of the file.
    assert_eq!(fs::read_dir(linked.path()).unwrap().count(), 3, "nothing is made there");
    fs::rename(&log, folder.path().join("log")).unwrap();
    let refused = chancery(&[&["settings"], &of_data[..2], &["--root-key", at_link[3]]].concat()).try_run();
    assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("log (-wal) is gone"), "{}", refused.stderr);
    fs::rename(folder.path().join("log"), &log).unwrap();
    demo.server.signal("-KILL");
    drop(demo);
    Demo::start(folder.path(), &[]);
}

#[test]
fn a_second_start_finds_everything_as_it_was() {
    let folder = temp_dir();
    let first = Demo::start(folder.path(), &[]);
    let profile = first.text("/demo/tokenProfileUuid").parse().unwrap();
    let token = first.client().tokenize(profile, "4111111111111111").unwrap();
    let authority = fs::read(first.text("/caFile")).unwrap();
    let (admins, demo) = (first.state["admins"].clone(), first.state["demo"].clone());
    assert!(first.server.stop().success());

    let second = Demo::start(folder.path(), &[]);
    assert_eq!((&second.state["admins"], &second.state["demo"]), (&admins, &demo));
    assert_eq!(fs::read(second.text("/caFile")).unwrap(), authority);
    assert_eq!(second.client().detokenize(profile, token).unwrap().message, "4111111111111111");
    let ready = Tool::new("curl").args(["-sS", "--cacert", second.text("/caFile")]);
    let ready = ready.arg(format!("{}/readyz", second.text("/base"))).run().text();
    assert_eq!(ready, r#"{"status":"ok","demo":true}"#);
}

#[test]
fn what_somebody_changed_is_told_and_the_demonstration_starts_again() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let rules = format!("/api/v2/token-profiles/{}/permissions", demo.text("/demo/tokenProfileUuid"));
    demo.client().body("PATCH", &rules, Some(r#"{"controlRules": []}"#)).unwrap();
    assert!(demo.server.stop().success());

    let again = Demo::start(folder.path(), &[]);
    let said = again.server.output();
    assert!(said.contains("NOT AS IT WAS MADE: tokenizing: No Control Rule"), "{said}");
    let approver = again.client().body("GET", "/api/v2/identities/stubs?search=Approver1", None).unwrap();
    let approver: serde_json::Value = serde_json::from_slice(&approver).unwrap();
    let approver = approver["response"]["results"][0]["objInfo"]["uuid"].as_str().unwrap();
    again.client().body("POST", &format!("/api/v2/identities/{approver}/lock"), None).unwrap();
    assert!(again.server.stop().success());
    assert!(Demo::start(folder.path(), &[]).server.output().contains("NOT AS IT WAS MADE: "));
}

#[test]
fn serve_refuses_it_while_its_passwords_are_what_they_were() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    assert!(demo.server.stop().success());
    let data = folder.path().join("data");
    let root_key = data.join("root.key");
    let arguments = ["serve", "--data", data.to_str().unwrap(), "--root-key", root_key.to_str().unwrap()];
    let serve = || chancery(&[&arguments[..], &["--listen", "127.0.0.1:0"]].concat()).try_run();
    let refused = serve();
    assert!(!refused.status.success());
    assert!(refused.stderr.contains("change the passwords of all three and remove"), "{}", refused.stderr);
    fs::remove_file(data.join("quickstart.json")).unwrap();
    let refused = serve();
    assert!(!refused.status.success());
    assert!(refused.stderr.contains("The password of Admin1 must be changed first."), "{}", refused.stderr);
}

/// Changes the passwords of these people of the demonstration, one session each, as a person with a shell does.
fn change_passwords(demo: &Demo, people: &[&str]) {
    let (functions, _) = curl_functions(&demo.server.output());
    let lines = people.iter().map(|name| {
        let others = ["Admin1", "Admin2"].map(|admin| format!("login {admin}\n")).concat();
        format!(
            r#"{functions}{others}printf 'Authorization: Bearer %s\n' "$(call "$BASE/home/v1/login/token" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')" > "$T/bearer"
ID=$(api "$BASE/api/v2/identities/stubs?search={name}" | sed -n 's/.*"uuid":"\([^"]*\)".*/\1/p')
api --data '{{"password":"'"$(printf 'changed by hand' | base64)"'"}}' "$BASE/api/v2/identities/$ID/password"
sed -i '/{name}/s/"password":"[^"]*"/"password":"changed by hand"/' "$STATE"
"#
        )
    });
    let _changed = Tool::new("sh").arg("-e").input(lines.collect::<String>()).run();
}

/// The lines that are pasted, up to where the first login is made, and from there on.
fn curl_functions(output: &str) -> (String, String) {
    let lines = pasted(output);
    let (functions, rest) = lines.split_at(lines.find("login Admin1\n").expect("a login"));
    (functions.to_owned(), rest.to_owned())
}

#[test]
fn serve_refuses_it_while_the_file_or_anybodys_password_of_it_is_left() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    change_passwords(&demo, &["Admin1", "Admin2"]);
    assert!(demo.server.stop().success());
    let data = folder.path().join("data");
    let root_key = data.join("root.key");
    let serve = || {
        let listen = ["--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
        let told = Tool::new("timeout").args(["60", crate::process::PROGRAM, "serve"]).args(listen);
        told.arg("--root-key").arg(&root_key).try_run().stderr
    };
    fs::rename(data.join("quickstart.json"), data.join("quickstart.json.starting")).unwrap();
    let told = serve();
    assert!(told.contains("remove") && told.contains("quickstart.json.starting"), "{told}");
    fs::remove_file(data.join("quickstart.json.starting")).unwrap();
    let told = serve();
    assert!(told.contains("The password of Approver1 must be changed first."), "{told}");
}

#[test]
fn a_first_start_that_was_interrupted_is_taken_up_again() {
    let folder = temp_dir();
    let data = folder.path().join("data");
    for done in ["\n  3. ok", "\n  5. ok"] {
        let arguments = ["quickstart", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"];
        let mut interrupted = Server::spawn(folder.path(), &arguments);
        interrupted.wait_until(done, |server| server.output().contains(done).then_some(()));
        interrupted.signal("-KILL");
    }
    let demo = Demo::start(folder.path(), &[]);
    let count = |table: &str| {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        Tool::new("sqlite3").arg(data.join("chancery.db")).arg(sql).run().text()
    };
    assert_eq!(count("token_profiles WHERE name = 'demo cards'"), "1\n");
    assert_eq!(count("certificates WHERE subject LIKE '%Chancery Demo Root%'"), "1\n", "authorities");
    drop(demo);
}

#[test]
fn it_takes_no_installation_that_is_none_of_its_own() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    assert!(demo.server.stop().success());
    let data = folder.path().join("data");
    fs::remove_file(data.join("root.key")).unwrap();
    let refused = chancery(&["quickstart", "--data", data.to_str().unwrap(), "--listen", "127.0.0.1:0"]).try_run();
    assert!(!refused.status.success());
    assert!(refused.stderr.contains("its root key is gone"), "{}", refused.stderr);
}

/// Also where the port is looked at last, nothing may be left that a next start would stumble over.
#[test]
fn a_port_that_is_taken_is_named_and_stands_in_the_way_of_no_later_start() {
    let folder = temp_dir();
    let data = folder.path().join("data");
    let taken = std::net::TcpListener::bind(("127.0.0.1", chancery_testkit::free_port())).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = || {
        let refused = chancery(&["quickstart", "--data", data.to_str().unwrap(), "--listen", &address]).try_run();
        assert_eq!(refused.status.code(), Some(1), "{}{}", refused.text(), refused.stderr);
        let why = format!("--listen {address}: Address already in use");
        assert!(refused.stderr.contains(&why), "{}", refused.stderr);
        assert!(!refused.text().contains("until Ctrl-C."), "{}", refused.text());
    };
    refused();
    assert!(!data.join("quickstart.json").exists(), "it says of nothing that it is served");
    drop(taken);
    let demo = Demo::start_at(folder.path(), &address);
    assert_eq!(demo.text("/base"), format!("https://{address}"));
    let profile = demo.text("/demo/tokenProfileUuid").parse().unwrap();
    let token = demo.client().tokenize(profile, "4111111111111111").unwrap();
    assert!(demo.server.stop().success());

    // Nor is anything taken from a demonstration that is there.
    let taken = std::net::TcpListener::bind(&address).unwrap();
    let state = fs::read(data.join("quickstart.json")).unwrap();
    refused();
    assert_eq!(fs::read(data.join("quickstart.json")).unwrap(), state);
    drop(taken);
    let demo = Demo::start_at(folder.path(), &address);
    assert_eq!(demo.client().detokenize(profile, token).unwrap().message, "4111111111111111");
    assert!(demo.server.stop().success());
}
