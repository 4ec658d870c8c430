//! One-time codes as another program makes them, from the enrolment to the reset.

use std::{thread::sleep, time::Duration};

use chancery_testkit::Tool;

use super::{login::at_a_terminal, place::Place};

/// The code of that moment, by oathtool.
pub(crate) fn code(secret: &str, when: &str) -> String {
    let oathtool = Tool::new("oathtool").args(["--totp", "--base32", "--now", when, secret]);
    oathtool.run().text().trim().to_owned()
}

/// Waits until a code of the step before is good for ten seconds more.
fn wait_for_a_step() {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() % 30;
    if since > 20 {
        sleep(Duration::from_secs(30 - since));
    }
}

/// Enrols the approver, and confirms it with the code of the step before: those of now and after are left.
fn enrol(place: &Place, at: &str) -> String {
    let said = place.sh(&format!("chancery totp enrol Approver1 --password-file three {at} < /dev/null"));
    assert!(said.err.contains("chancery totp confirm Approver1 --totp CODE"), "{said:?}");
    let uri = said.done();
    let secret = uri.strip_prefix("otpauth://totp/Chancery:Approver1?secret=").and_then(|rest| rest.split('&').next());
    let secret = secret.unwrap_or_else(|| panic!("{uri}")).to_owned();
    let confirm = |code: &str| place.sh(&format!("chancery totp confirm Approver1 --password-file three {at} {code}"));
    let without = confirm("< /dev/null").failed(2);
    assert!(without.contains("there is no one-time code: give --totp CODE"), "{without}");
    wait_for_a_step();
    let confirmed = confirm(&format!("--totp {}", code(&secret, "30 seconds ago"))).done();
    assert_eq!(confirmed, "Approver1 logs in with a one-time code from now on.\n");
    secret
}

#[test]
fn codes_of_another_program_are_a_second_factor() {
    let place = Place::logged_in();
    let at = format!("--server {} --ca ca.pem", place.base());
    let secret = enrol(&place, &at);
    let remove = format!("chancery totp remove Approver1 --password-file three {at}");
    place.sh(&format!("{remove} --totp {}", code(&secret, "10 minutes ago"))).failed(3);
    let removed = place.sh(&format!("{remove} --totp {}", code(&secret, "now"))).done();
    assert_eq!(removed, "Approver1 logs in by the password alone from now on.\n");

    // A terminal is scanned: the first rows of a QR code have a corner of seven by seven.
    let answers = [("One-time code, where there is one already: ", "")];
    let drawn = at_a_terminal(&place, &format!("chancery totp enrol Approver1 --password-file three {at}"), &answers);
    assert!(drawn.done().contains("\u{1b}[30;107m    █▀▀▀▀▀█ "), "the corner");

    let secret = enrol(&place, &at);
    let login = format!("chancery login Approver1 --password-file three --server-profile approver {at}");
    place.sh(&format!("{login} < /dev/null")).failed(3);
    let now = code(&secret, "now");
    place.sh(&format!("{login} --totp {now} < /dev/null")).done();
    let who = place.sh("chancery whoami --server-profile approver").done();
    assert!(who.contains("Approver1 (Person, by Password+Totp from 127.0.0.1)"), "{who}");
    place.sh(&format!("{login} --totp {now} < /dev/null")).failed(3);
    let many = place.sh(&format!("{login} --totp {now} --totp {now} < /dev/null")).failed(2);
    assert!(many.contains("there are more codes than names"), "{many}");

    // At a terminal the code is asked for once the password alone was refused.
    let password = place.demo.text("/approver/password");
    let next = code(&secret, "30 seconds");
    let answers = [
        ("Password of Approver1: ", password),
        ("One-time code of Approver1 (empty where there is none): ", next.as_str()),
    ];
    let seen = at_a_terminal(&place, &format!("chancery login Approver1 --server-profile approver {at}"), &answers);
    let seen = seen.done();
    assert!(seen.contains("as Approver1.") && !seen.contains(password), "{seen}");

    // Others help, and so do two on the host.
    let shown = place.json("chancery identity show Approver1");
    assert!(shown["totp"]["confirmedAt"].is_string(), "{shown}");
    place.sh("chancery identity reset-totp Approver1").done();
    place.sh(&format!("{login} < /dev/null")).done();
    let _secret = enrol(&place, &at);
    let host = "--data chancery-data --root-key chancery-data/root.key < /dev/null";
    let two = "--by Admin1 --password-file one --by Admin2 --password-file two";
    let recovered = place.sh(&format!("chancery recover approver1 --keep-password {two} {host}")).done();
    assert!(recovered.starts_with("Recovered Approver1: Admin1 and Admin2 answered for it."), "{recovered}");
    assert!(recovered.contains("Its password is as it was."), "{recovered}");
    let begun = std::time::Instant::now();
    while place.sh(&format!("{login} < /dev/null")).code != Some(0) {
        assert!(begun.elapsed() < Duration::from_secs(20), "the server does not follow");
        sleep(Duration::from_secs(1));
    }
}
