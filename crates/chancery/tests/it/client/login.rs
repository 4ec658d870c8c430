//! Logging in and out, at terminals and without one.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use chancery_testkit::Tool;

use super::place::{NOBODYS_KEY, Place, Said};

/// The line at a terminal of its own, where somebody types these answers, each after its question.
pub(super) fn at_a_terminal(place: &Place, line: &str, answers: &[(&str, &str)]) -> Said {
    let script = r#"
import os, pty, sys, json, time, select
line, answers = sys.argv[1], json.loads(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", line])
seen, at = b"", 0
def read():
    global seen
    try:
        more = os.read(fd, 4096)
    except OSError:
        return False
    seen += more
    return bool(more)
for question, answer in answers:
    while question.encode() not in seen[at:]:
        if not read():
            break
    at = len(seen)
    # Echo is switched off after the question.
    time.sleep(0.3)
    os.write(fd, answer.encode() + b"\n")
while read():
    pass
_, status = os.waitpid(pid, 0)
sys.stdout.write(seen.decode())
sys.exit(os.waitstatus_to_exitcode(status))
"#;
    let line = format!("unset CHANCERY_SERVER CHANCERY_SERVER_PROFILE CHANCERY_API_KEY_FILE CHANCERY_API_KEY; {line}");
    let programs = Path::new(crate::process::PROGRAM).parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let python =
        Tool::new("python3").folder(place.folder()).env("PATH", path).env("XDG_CONFIG_HOME", place.path("home"));
    let ran = python.args(["-c", script, &line, &serde_json::to_string(answers).unwrap()]).try_run();
    Said { code: ran.status.code(), out: ran.text(), err: ran.stderr }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// What could not be kept is not made, and what cannot be taken away is ended.
fn kept_or_not_at_all(place: &Place) {
    let login = format!(
        "chancery login --server {} --ca ca.pem --server-profile third Approver1 --password-file three",
        place.base()
    );
    let full = place.sh(&format!("bash -c 'ulimit -f 1; {login}'")).failed(1);
    assert!(full.contains("Nobody was logged in") && full.contains("File too large"), "{full}");
    let relative = place.sh(&format!("XDG_CONFIG_HOME= HOME=home {login}")).failed(2);
    assert!(relative.contains("HOME") && !place.path("home/.config").exists(), "{relative}");
    place.sh(&login).done();
    place.sh("cp home/chancery/servers/third.json copy").done();
    let logout = "chancery logout --server-profile third";
    let full = place.sh(&format!("bash -c 'ulimit -f 0; {logout}'")).failed(1);
    assert!(full.contains("ended at the server"), "{full}");
    let gone = place.sh("chancery whoami --server-profile third").failed(3);
    assert!(gone.contains("The login has ended"), "{gone}");
    assert!(place.sh(logout).done().starts_with("Logged out of"));
    assert!(place.sh(logout).done().starts_with("Nobody was logged in at"));
    place.sh(&format!("{logout} --forget")).done();
}

#[test]
fn people_log_in_one_after_the_other() {
    let place = Place::new();
    let base = place.base();
    let nobody = place.sh("chancery role list").failed(3);
    assert!(nobody.contains("no server is known") && nobody.contains("chancery login --server"), "{nobody}");
    let unknown = place.sh("chancery login Admin1").failed(2);
    assert!(unknown.contains("--server URL is needed"), "{unknown}");

    // Two people at one terminal; the first one mistypes once. Nothing that is typed as a password is seen.
    let (one, two) = (place.demo.text("/admins/0/password"), place.demo.text("/admins/1/password"));
    let line = format!("chancery login --server {base} --ca ca.pem");
    let answers = [
        ("Name: ", "Admin1"),
        ("Password of Admin1: ", "mistyped"),
        // Who does not look types the password where the code is asked for.
        ("One-time code of Admin1 (empty where there is none): ", one),
        ("Password of Admin1: ", one),
        ("Name of the second person: ", "Admin2"),
        ("Password of Admin2: ", two),
    ];
    let said = at_a_terminal(&place, &line, &answers);
    let text = said.done();
    assert!(text.contains("somebody else has to log in too"), "{text}");
    assert!(text.contains(&format!("Logged in at {base} as Admin1 and Admin2.")), "{text}");
    assert!(!text.contains(one) && !text.contains(two) && !text.contains("mistyped"), "{text}");
    assert!(text.contains("The login is refused: ") && text.contains("was not sent"), "{text}");

    kept_or_not_at_all(&place);
    let file = place.path("home/chancery/servers/default.json");
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert!(!fs::read_to_string(&file).unwrap().contains(one));
    let who = place.sh("chancery whoami").done();
    assert!(
        who.contains("Admin1 (Person, by Password from 127.0.0.1)")
            && who.contains("Admin2 (")
            && who.contains("Services:Deploy")
            && who.contains("session ends"),
        "{who}"
    );
    let status = place.sh("chancery status").done();
    assert!(status.starts_with("PROFILE  SERVER") && status.contains("logged in"), "{status}");
    // Bold on a terminal, unless it is not wanted.
    assert!(at_a_terminal(&place, "chancery status", &[]).done().contains("\u{1b}[1m"));
    assert!(!at_a_terminal(&place, "NO_COLOR=1 chancery status", &[]).done().contains('\u{1b}'));

    place.sh("chancery logout").done();
    let ended = place.sh("chancery role list").failed(3);
    assert!(ended.contains("nobody is logged in at") && ended.contains("chancery login"), "{ended}");
    at_two_terminals(&place);
    password_files(&place);
    half_a_login(&place);
    an_application(&place);
    interrupted(&place);
}

#[test]
fn a_session_that_is_replaced_is_ended() {
    let place = Place::logged_in();
    let servers = place.path("home/chancery/servers");
    fs::copy(servers.join("approver.json"), servers.join("copied.json")).unwrap();
    place.sh("chancery whoami --server-profile copied").done();
    place.sh("chancery login Approver1 --password-file three --server-profile approver").done();
    place.sh("chancery whoami --server-profile copied").failed(3);
    place.sh("chancery whoami --server-profile approver").done();
}

/// Whoever gives up at the question for a password has a terminal as before.
fn interrupted(place: &Place) {
    let line = "trap : INT; chancery login Admin1; echo rc=$?; stty -a";
    let said = at_a_terminal(place, line, &[("Password of Admin1: ", "half a pass\u{3}")]).done();
    assert!(said.contains("rc=130") && said.contains(" echo ") && !said.contains("-echo "), "{said}");
}

/// Each of the two has a terminal of their own, and both are open at a time; the session is one.
fn at_two_terminals(place: &Place) {
    let (one, two) = (place.demo.text("/admins/0/password"), place.demo.text("/admins/1/password"));
    let asked = [("Password of Admin1: ", one), ("Name of the second person: ", "\u{4}")];
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            at_a_terminal(place, "chancery login Admin1; echo rc=$?; until test -e until; do sleep 0.1; done", &asked)
        });
        // The first one is asked for the second, who is elsewhere, and goes away from the question.
        let kept = place.path("home/chancery/servers/default.json");
        let begun = std::time::Instant::now();
        while !fs::read_to_string(&kept).unwrap().contains("Admin1") {
            assert!(begun.elapsed().as_secs() < 30, "the first one is not in");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let second = at_a_terminal(place, "chancery login Admin2", &[("Password of Admin2: ", two)]);
        place.write("until", "");
        (first.join().unwrap(), second)
    });
    assert!(first.out.contains("somebody else has to log in too") && !first.out.contains(one), "{first:?}");
    assert!(second.out.contains("as Admin1 and Admin2.") && !second.out.contains(two), "{second:?}");
    assert_eq!(second.code, Some(0), "{second:?}");
    let who = place.sh("chancery whoami").done();
    assert!(who.contains("Admin1 (") && who.contains("Admin2 ("), "{who}");
    place.sh("chancery logout").done();
}

/// What is wrong with password files is told as that; where it can be seen beforehand, nobody is logged in.
fn password_files(place: &Place) {
    place.write("empty", "\n");
    for (line, why) in [
        ("Admin1 Admin2 --password-file one", "there is no password for Admin2; the others have theirs (Admin1: one)"),
        (
            "--password-file one --password-file two",
            "--password-file one: there are more files than names (nobody is named)",
        ),
        (
            "Admin1 --password-file one --password-file two",
            "--password-file two: there are more files than names (Admin1: one)",
        ),
        ("Admin1 Admin2 --password-file one --password-file none", "--password-file none: No such file"),
        ("Admin1 Admin2 --password-file one --password-file empty", "--password-file empty: it is empty"),
    ] {
        let refused = place.sh(&format!("chancery login {line} < /dev/null")).failed(2);
        assert!(refused.contains(why) && !refused.contains("logged in"), "{line}: {refused}");
        place.sh("chancery whoami").failed(3);
    }
    let swapped = place.sh("chancery login Admin1 Admin2 --password-file two --password-file one").failed(3);
    assert!(swapped.contains("logging Admin1 in: ") && !swapped.contains("second login"), "{swapped}");
    let hint = "Files belong to names in their order (Admin1: two, Admin2: one). Are two files swapped?";
    assert!(swapped.contains(hint), "{swapped}");
    let wrong = place.sh("chancery login Admin1 --password-file two").failed(3);
    assert!(wrong.contains("(Admin1: two)") && !wrong.contains("swapped"), "{wrong}");
}

/// The second person comes later, at another terminal or at none.
fn half_a_login(place: &Place) {
    let half = place.sh("chancery login Admin1 --password-file one").failed(3);
    assert!(half.contains("a second login is missing"), "{half}");
    let refused = place.sh("chancery role list").failed(3);
    assert!(refused.contains("Admin1 alone is logged in"), "{refused}");
    let wrong = place.sh("chancery login Admin2 --password-file one").failed(3);
    assert!(wrong.contains("logging Admin2 in") && wrong.contains("(Admin2: one)"), "{wrong}");
    let whole = place.sh("chancery login Admin2 --password-file two").done();
    assert!(whole.contains("as Admin1 and Admin2."), "{whole}");
    // A second one who does not get in at the same call takes nothing away either.
    let wrong = place.sh("chancery login Admin1 Admin2 --password-file one --password-file one").failed(3);
    assert!(wrong.contains("Admin1 stays logged in") && wrong.contains("chancery login --server-profile"), "{wrong}");
    place.sh("chancery login Admin2 --password-file two").done();
    let unasked = place.sh("chancery login Admin1 < /dev/null").failed(2);
    assert!(unasked.contains("there is no password for Admin1") && unasked.contains("--password-file"), "{unasked}");
    assert!(place.sh("chancery role list").done().contains("Auditor"), "a login that failed takes nothing away");
    nobody_is_named(place);
}

/// Where nobody is named or can be asked, nothing is kept and nothing is taken away.
fn nobody_is_named(place: &Place) {
    let before = fs::read(place.path("home/chancery/servers/default.json")).unwrap();
    let other = format!("--server {} --ca ca.pem --server-profile other", place.base());
    for line in ["", "--server-profile default", &other] {
        let unnamed = place.sh(&format!("chancery login {line} < /dev/null")).failed(2);
        assert!(
            unnamed.contains("nobody is there to ask for the name") && unnamed.contains("--password-file"),
            "{unnamed}"
        );
    }
    assert_eq!(fs::read(place.path("home/chancery/servers/default.json")).unwrap(), before);
    let known = fs::read_dir(place.path("home/chancery/servers")).unwrap().count();
    assert_eq!(known, 2, "the profile and the lock");
}

/// The key that an application is made with ends, comes from somewhere, and is good for something.
fn a_key_with_bounds(place: &Place, at: &str) {
    let create = "chancery identity create --name till --kind Application --role Builders --key-name runner";
    let made = place.json(&format!("{create} --key-expires-in 90d --key-network 192.0.2.0/24,2001:db8::/32"));
    place.write("till.key", made["apiKey"].as_str().unwrap());
    place.sh(&format!("chancery whoami {at} --api-key-file till.key")).failed(3);
    let keys = place.sh("chancery identity api-key list till").done();
    assert!(keys.contains("runner") && keys.contains("192.0.2.0/24 2001:db8::/32"), "{keys}");
    let wrong = place.sh("chancery identity create --name x --kind Application --role Builders --key-network there");
    let wrong = wrong.failed(5);
    assert!(wrong.contains("--key-network (/apiKey/networks/0)"), "{wrong}");
    let long = place.sh("chancery identity create --name x --kind Application --role Builders --key-expires-in soon");
    assert!(long.failed(2).contains("--key-expires-in"));
}

/// What later commands could not read is no place of a key that a login keeps.
fn fleeting_keys(place: &Place, at: &str) {
    place.sh("mkfifo key.fifo && ln -s /dev/stdin key.link && ln -s ci.key key.alias").done();
    let login = format!("timeout 20 chancery login {at} --server-profile fleeting --api-key-file");
    for line in [
        format!("cat ci.key | {login} /dev/stdin"),
        format!("{login} /dev/stdin < ci.key"),
        format!("{login} - < ci.key"),
        format!("{login} key.link < ci.key"),
        format!("{login} /dev/fd/3 3< ci.key"),
        format!("{login} key.fifo"),
        format!("{login} /dev/zero"),
        format!("{login} data"),
        format!("CHANCERY_API_KEY_FILE=key.fifo {}", login.replace("--api-key-file", "")),
        format!("bash -c '{login} <(cat ci.key)'"),
    ] {
        let refused = place.sh(&line).failed(2);
        assert!(refused.contains("it is no regular file") && refused.contains("Put the key into a file"), "{refused}");
    }
    assert!(place.sh(&format!("{login} none")).failed(2).contains("--api-key-file none: No such file"));
    place.sh("chancery whoami --server-profile fleeting").failed(2);
    place.sh(&format!("{login} key.alias")).done();
    place.sh("chancery whoami --server-profile fleeting").done();
    place.sh("chancery logout --forget --server-profile fleeting").done();
    // For one command alone it may be anything.
    place.sh(&format!("cat ci.key | chancery whoami {at} --api-key-file /dev/stdin")).done();
}

/// `status` asks whether a key still opens anything.
fn a_key_that_is_gone(place: &Place, at: &str) {
    let made = place.json("chancery identity create --name leaver --kind Application --role Builders --key-name only");
    place.write("leaver.key", made["apiKey"].as_str().unwrap());
    place.sh(&format!("chancery login {at} --api-key-file leaver.key --server-profile leaver")).done();
    let status = place.sh("chancery status --server-profile leaver").done();
    assert!(status.contains("an application, by its API key"), "{status}");
    place.sh("chancery identity api-key delete leaver only --yes").done();
    let status = place.sh("chancery status --server-profile leaver; [ $? = 3 ]").done();
    assert!(status.contains("its API key: "), "{status}");
    place.sh("chancery logout --forget --server-profile leaver").done();
    place.sh("chancery identity delete leaver --yes").done();
}

/// A key in the place of people: by a file, by the environment, or kept for a profile.
fn an_application(place: &Place) {
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    let made = place.json("chancery identity create --name ci --kind Application --role Builders");
    place.write("ci.key", format!("{}\n", made["apiKey"].as_str().unwrap()));
    let at = format!("--server {} --ca ca.pem", place.base());
    let who = place.sh(&format!("chancery whoami {at} --api-key-file ci.key")).done();
    assert!(who.contains("ci (Application, by ApiKey") && who.contains("Signing:Submit"), "{who}");
    let who = place.sh(&format!("CHANCERY_API_KEY=$(cat ci.key) chancery whoami {at} --output json")).done();
    assert!(who.contains(r#""kind":"Application""#), "{who}");
    place.sh(&format!("chancery login {at} --api-key-file ci.key --server-profile ci")).done();
    let who = place.sh("chancery whoami --server-profile ci").done();
    assert!(who.contains("ci (Application"), "{who}");
    fleeting_keys(place, &at);
    a_key_that_is_gone(place, &at);
    let both = "CHANCERY_API_KEY=wrong chancery login Admin1 Admin2 --password-file one --password-file two";
    let both = place.sh(both).failed(2);
    assert!(both.contains("Admin1 Admin2: an API key is given too") && both.contains("CHANCERY_API_KEY"), "{both}");
    // What is set is meant: nobody's login takes its place.
    for key in [r#"$(printf '\377')"#, r#"$(printf '\n\nx')"#, r#"$(printf '\r')"#, "\"\n\"", "' '"] {
        let refused = place.sh(&format!("CHANCERY_API_KEY={key} chancery whoami")).failed(2);
        assert!(refused.contains("this is no API key") && refused.contains("Nothing was sent."), "{refused}");
    }
    place.sh("CHANCERY_API_KEY= chancery whoami").done();
    for name in ["SERVER", "SERVER_PROFILE", "CA", "API_KEY_FILE", "OUTPUT"] {
        place.sh(&format!("CHANCERY_{name}=$(printf '\\377') chancery whoami")).failed(2);
    }
    let wrong = place.sh(&format!("CHANCERY_API_KEY={NOBODYS_KEY} chancery whoami {at}")).failed(3);
    assert!(wrong.contains("API key"), "{wrong}");
    place.sh("chancery logout --forget --server-profile ci").done();
    a_key_with_bounds(place, &at);
    let gone = place.sh("chancery whoami --server-profile ci").failed(2);
    assert!(gone.contains("there is no such profile") && gone.contains("default"), "{gone}");
}
