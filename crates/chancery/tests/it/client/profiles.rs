//! Several servers, and several commands at a time: what is kept of one login is for its own server, and nobody undoes
//! another's.

use std::fs;

use chancery_testkit::temp_dir;

use super::place::Place;
use crate::process::Demo;

#[test]
fn what_is_kept_of_a_login_goes_to_its_own_server_alone() {
    let place = Place::new();
    let (folder, base) = (temp_dir(), place.base());
    let other = Demo::start(folder.path(), &[]);
    fs::copy(other.text("/caFile"), place.path("b.pem")).unwrap();
    for (file, password) in [("b.one", "/admins/0/password"), ("b.two", "/admins/1/password")] {
        place.write(file, other.text(password));
    }
    let b = format!("--server {} --ca b.pem", other.text("/base"));
    let prod = "--server-profile prod Admin1 Admin2 --password-file one --password-file two";
    place.sh(&format!("chancery login --server {base} --ca ca.pem {prod}")).done();

    // A login elsewhere is a profile of its own, and the one that there was stays as it is.
    let said =
        place.sh(&format!("chancery login {b} Admin1 Admin2 --password-file b.one --password-file b.two")).done();
    assert!(said.contains(other.text("/base")), "{said}");
    let own = other.text("/base").replace("https://", "").replace(':', "-");
    let status = place.sh(&format!("chancery status --server-profile {own}")).done();
    assert!(status.contains(other.text("/base")) && status.contains("logged in"), "{status}");
    place.sh("chancery role list --server-profile prod").done();
    place.sh(&format!("chancery role list {b}")).done();
    let mixed = place.sh(&format!("chancery role list {b} --server-profile prod")).failed(2);
    assert!(mixed.contains(&format!("the profile prod is for {base}")), "{mixed}");
    place.sh(&format!("chancery login {b} {prod}")).failed(2);
    logs(&place, &b);

    // Whoever logs out of one is logged in at the other.
    place.sh(&format!("chancery logout --forget {b}")).done();
    let nobody = place.sh(&format!("chancery role list {b}")).failed(3);
    assert!(nobody.contains("nobody is logged in at") && nobody.contains(other.text("/base")), "{nobody}");
    place.sh(&format!("chancery logout {b}")).failed(3);
    place.sh("chancery whoami").done();
    an_applications_key(&place, &b);
}

/// The key that a profile keeps is sent to its server, and to no other.
fn an_applications_key(place: &Place, b: &str) {
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    let made = place.json("chancery identity create --name ci --kind Application --role Builders");
    place.write("ci.key", made["apiKey"].as_str().unwrap());
    let base = place.base();
    place.sh(&format!("chancery login --server {base} --ca ca.pem --server-profile ci --api-key-file ci.key")).done();
    place.sh("chancery whoami --server-profile ci").done();
    let kept = place.sh(&format!("chancery whoami --server-profile ci {b}")).failed(2);
    assert!(kept.contains(&format!("the profile ci is for {base}")), "{kept}");
    let by_variable = place.sh("CHANCERY_SERVER=https://127.0.0.1:1 chancery whoami --server-profile ci").failed(2);
    assert!(by_variable.contains("--server https://127.0.0.1:1"), "{by_variable}");
}

/// The log of another server is not the one that was kept, and not a changed one either.
fn logs(place: &Place, b: &str) {
    let first = place.sh("chancery log watch --once --server-profile prod").done();
    assert!(first.contains("from now on kept"), "{first}");
    let honest = place.sh(&format!("chancery log watch --once {b}")).done();
    assert!(honest.contains("from now on kept"), "{honest}");
    let folder = place.path("home/chancery/logs");
    let keys = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let keys: Vec<_> = keys.filter(|path| path.extension().is_some_and(|end| end == "key")).collect();
    assert_eq!(keys.len(), 2, "{keys:?}");
    // The two servers change places.
    let texts = [1, 0].map(|index: usize| fs::read(&keys[index]).unwrap());
    for (path, text) in keys.iter().zip(texts) {
        fs::write(path, text).unwrap();
    }
    let replaced = place.sh("chancery log watch --once --server-profile prod").failed(10);
    assert!(replaced.contains("is another one") && replaced.contains("The server says that its key is"), "{replaced}");
    let often = place.sh("chancery log watch --interval 0s --server-profile prod").failed(2);
    assert!(often.contains("at least 1s"), "{often}");
}

/// What a command keeps when it ends is what it renewed, not what others did meanwhile.
#[test]
fn a_command_that_ends_late_puts_no_old_login_back() {
    let place = Place::with(&["--token-lifetime", "3"]).with_logins();
    let file = place.path("home/chancery/servers/default.json");
    // Its bearer token ends while it waits, so that it renews its session.
    let wait = "rm -f waits; chancery sign app.tar --service 'demo releases' --wait 2> waits & \
        until grep -q 'approvals' waits 2> /dev/null; do sleep 0.05; done";
    for (index, meanwhile) in
        ["chancery login Admin1 Admin2 --password-file one --password-file two", "chancery logout"].iter().enumerate()
    {
        place.write("app.tar", format!("build {index}"));
        let approve = "chancery approve app.tar --yes --server-profile approver || chancery request list";
        let line =
            format!("{wait}; sleep 3.3; {meanwhile}; cp {} meanwhile; {approve}; wait $!; cat waits", file.display());
        let said = place.sh(&line);
        assert_eq!(
            fs::read_to_string(place.path("meanwhile")).unwrap(),
            fs::read_to_string(&file).unwrap(),
            "{said:?}"
        );
        if index == 0 {
            assert!(said.out.contains("signed and verified"), "{said:?}");
        }
    }
    let nobody = place.sh("chancery role list --server-profile default").failed(3);
    assert!(nobody.contains("nobody is logged in"), "{nobody}");
}

/// An installation answers people when its host switches API access on.
#[test]
fn what_is_switched_off_is_told_as_that() {
    let installation = crate::serve::Place::new();
    let _made = installation.init().run();
    let (_server, base) = installation.serve(&[]);
    let folder = temp_dir();
    let ca = installation.path("data/tls/ca.pem");
    let refused = crate::process::chancery(&["login", "--server", &base, "--ca", &ca, "Admin1", "Admin2"])
        .args(["--password-file", &installation.path("one"), "--password-file", &installation.path("two")])
        .env("XDG_CONFIG_HOME", folder.path())
        .try_run();
    assert_eq!(refused.status.code(), Some(5), "{}", refused.stderr);
    assert!(refused.stderr.contains("chancery settings --api-access on"), "{}", refused.stderr);
}
