//! The file that a new secret is written to: found, and with room, before the secret is made.

use std::fs;

use super::{login::at_a_terminal, place::Place};

#[test]
fn a_secret_is_made_only_where_it_can_be_written_down() {
    let place = Place::logged_in();
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    place.sh("chancery identity create --name ci --kind Application --role Builders").done();
    place.sh("chancery identity api-key create ci --name svc -o svc.key").done();
    let is_good = |place: &Place, key: &str| {
        let who = format!("chancery whoami --server {} --ca ca.pem --api-key-file {key}", place.base());
        place.sh(&who).code == Some(0)
    };
    assert_eq!(place.sh("stat -c %a svc.key").done().trim(), "600");
    let rotate_it = "chancery identity api-key rotate ci svc --overlap 0s";
    let rotate = &format!("{rotate_it} -o");

    // Where nothing can be written, nothing is rotated.
    place.sh("mkdir folder").done();
    let missing = place.sh(&format!("{rotate} none/svc.key")).failed(2);
    assert!(missing.contains("--out none/svc.key: there is no such folder"), "{missing}");
    place.sh(&format!("{rotate} folder")).failed(2);
    let full = place.sh(&format!("bash -c 'ulimit -f 0; {rotate} small.key'")).failed(1);
    assert!(full.contains("File too large") && full.contains("Nothing was asked"), "{full}");
    let missing = place.sh("chancery identity api-key create ci --name other -o none/other.key").failed(2);
    assert!(missing.contains("Make it, or name another. Nothing was asked of the server."), "{missing}");
    assert!(!place.sh("chancery identity api-key list ci").done().contains("other"));

    // A link stays, and so does a neighbour; a FIFO is written into.
    place.sh("ln -s folder/svc.key link && echo precious > link.new && mkfifo fifo").done();
    place.sh(&format!("{rotate} link")).done();
    assert!(place.path("link").is_symlink() && place.path("link.new").exists());
    assert!(is_good(&place, "folder/svc.key") && !is_good(&place, "svc.key"));
    place.sh(&format!("cat fifo > piped.key & {rotate} fifo; wait")).done();
    assert!(is_good(&place, "piped.key"));
    // Nobody reads, so nothing is made; or says that it is lost.
    place.sh("mkfifo unread").done();
    place.sh(&format!("timeout -s INT 1 {rotate} unread; test $? -ne 0")).done();
    place.sh("ln -s /dev/full full && (mknod null c 1 3 || ln -s /dev/null null)").done();
    for nobody in ["> /dev/null", "> /dev/full", "> /dev/zero", "> full", ">&-", "| true"] {
        // A program at the other end is gone by then.
        let wait = if nobody == "| true" { 2 } else { 0 };
        let command = format!("(sleep {wait}; {rotate_it}) {nobody}");
        let refused = place.sh(&format!("bash -c 'set -o pipefail; {command}'")).failed(1);
        assert!(refused.contains("nobody reads it") && refused.contains("Nothing was asked"), "{nobody}: {refused}");
    }
    // By what is opened, whatever it is called.
    let devices = ["/dev/null", "/dev/full", "/dev/zero", "./../../dev/null", "full", "null", "/dev/fd/3 3> /dev/null"];
    let devices = devices.map(|device| format!("-o {device}"));
    for nobody in
        ["-o - > /dev/null", "-o - > /dev/full", "--out /dev/stdout >&-"].map(str::to_owned).iter().chain(&devices)
    {
        let refused = place.sh(&format!("{rotate_it} {nobody}")).failed(1);
        assert!(refused.contains("nobody reads it") && refused.contains("Nothing was asked"), "{nobody}: {refused}");
    }
    place.sh(&format!("{rotate_it} -o /dev/stderr 2> /dev/null")).failed(1);
    let create = "chancery identity create --name lost --kind Application --role Builders";
    for nobody in ["> /dev/null", "> /dev/full", "-o /dev/full", "-o full"] {
        place.sh(&format!("{create} {nobody}")).failed(1);
    }
    assert!(!place.sh("chancery identity list").done().contains("lost"));
    assert!(is_good(&place, "piped.key"));
    // What is written into is written into: a descriptor, standard error, a terminal.
    for read in ["-o /dev/fd/3 3> open.key", "-o /dev/stderr 2> open.key", "-o - > open.key"] {
        place.sh(&format!("{rotate_it} {read}")).done();
        assert!(place.sh("grep -c chk_ open.key").done().contains('1'), "{read}");
    }
    assert!(at_a_terminal(&place, &format!("{rotate_it} -o /dev/tty"), &[]).done().contains("chk_"));
    lost(&place);
    place.sh(&format!("{rotate_it} --out piped.key")).done();
    // What can be read once is read once.
    let piped =
        format!("cat piped.key | chancery whoami --server {} --ca ca.pem --api-key-file /dev/stdin", place.base());
    place.sh(&piped).done();
    // The key of a new application, and no key of a person.
    place.sh("chancery identity create --name till --kind Application --role Builders --out till.key").done();
    assert_eq!(place.sh("stat -c %a till.key").done().trim(), "600");
    assert!(is_good(&place, "till.key"));
    place.sh("chancery identity create --name ann --kind Person --role Builders --out ann.key").failed(2);

    // What is no key is not sent anywhere.
    // A password has the letters of one, and another length.
    place.sh("printf 'BEGIN PRIVATE KEY\nline\n' > other.key").done();
    for file in ["other.key", "one"] {
        let other = format!("chancery whoami --server {} --ca ca.pem --api-key-file {file}", place.base());
        let refused = place.sh(&other).failed(2);
        assert!(refused.contains("this is no API key") && refused.contains("Nothing was sent."), "{refused}");
    }
    // What has gone to a file is not answered once more.
    let answered = place.sh(&format!("{rotate} json.key --output json")).done();
    let answered: serde_json::Value = serde_json::from_str(&answered).unwrap();
    assert!(answered["response"]["uuid"].is_string() && answered["response"]["apiKey"].is_null(), "{answered}");

    let printed = place.sh(&format!("{rotate} -")).done();
    assert!(printed.starts_with("chk_") && printed.trim_end().len() == 47, "{printed}");
    assert!(!place.path("-").exists());
    let left = fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<_> = left.filter(|name| name.contains("small") || name.contains("svc.key.")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A secret that nobody got in the end can be made once more by the line that is shown.
fn lost(place: &Place) {
    place.sh("chancery identity create --name 'the till' --kind Application --role Builders > till.txt").done();
    place.sh("mkfifo gone").done();
    for (command, again) in [
        ("api-key create 'the till' --name 'key NUMBER'", "'the till' 'key NUMBER' --overlap 0s"),
        // The secret of before goes on, and is ended by that.
        ("api-key rotate 'the till' \"first key\"", "'the till' 'first key' --overlap 0s --yes"),
        (
            "create --name 'a new one NUMBER' --kind Application --role Builders",
            "'a new one NUMBER' 'first key' --overlap 0s",
        ),
    ] {
        let (number, said) = with_reader_gone(place, command);
        assert!(said.contains("The secret is made, and lost."), "{said}");
        let again = format!("chancery identity api-key rotate {}", again.replace("NUMBER", &number));
        assert!(said.contains(&again), "{said}");
        assert!(place.sh(&again).done().contains("chk_"));
    }
}

/// What the command complains of whose reader goes when the FIFO is opened, and the number of the attempt. A reader that a busy
/// machine keeps for longer gets the secret: then it is done once more, with names of another number.
fn with_reader_gone(place: &Place, command: &str) -> (String, String) {
    for number in 0..5 {
        let number = number.to_string();
        let command = command.replace("NUMBER", &number);
        let said = place.sh(&format!("true < gone & chancery identity {command} -o gone; code=$?; wait; exit $code"));
        if said.code != Some(0) {
            return (number, said.failed(1));
        }
    }
    panic!("{command}: the reader was there each time");
}

/// What people copy to a shell does what it says, whatever a file is called.
#[test]
fn a_line_to_copy_is_one_of_words() {
    let place = Place::logged_in();
    place.sh("mkdir out").done();
    place.write("q; touch harmed;.txt", "a file");
    let sign = "chancery sign 'q; touch harmed;.txt' --service 'demo releases' --timeout 1s --wait";
    let waits = place.sh(sign);
    let said = format!("{}{}", waits.out, waits.err);
    assert!(said.contains("chancery sign 'q; touch harmed;.txt' --request"), "{said}");
}
