//! `cert renew --watch`, by an application that may do nothing else: over renewals, an outage, a hook that fails, and the end.

use std::{fs, thread::sleep, time::Duration};

use super::place::Place;
use crate::process::{PROGRAM, Server};

const WAITS: u32 = 600;

/// Waits until a file has so many lines.
#[track_caller]
fn until_lines(place: &Place, file: &str, count: usize) -> String {
    for _ in 0..WAITS {
        let text = fs::read_to_string(place.path(file)).unwrap_or_default();
        if text.lines().count() >= count {
            return text;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("{file}: {:?}; {:?}", fs::read_to_string(place.path(file)), fs::read_to_string(place.path("watch.err")));
}

/// The watcher, in the background: by a shell that tells its exit code in the end.
fn watcher(place: &Place, more: &str) -> std::thread::JoinHandle<String> {
    let line = format!(
        "{PROGRAM} cert renew www.example.org --server {} --ca ca.pem --api-key-file ci.key --cert-out www.pem \
         --key-out www.key --validity 9s --watch {more} > watch.out 2> watch.err & echo $! > watch.pid; wait $!; echo $?",
        place.base()
    );
    let shell = place.shell().args(["-c", &line]);
    std::thread::spawn(move || shell.try_run().text())
}

#[test]
fn a_watcher_renews_whatever_happens_in_between() {
    let mut place = Place::logged_in();
    place.sh("chancery role create --name Renewers --logins-required 1 --perm CertManage:Generate").done();
    let made = place.json("chancery identity create --name web --kind Application --role Renewers");
    place.write("ci.key", made["apiKey"].as_str().unwrap());
    let request = "chancery cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' --subject CN=www.example.org \
        --san DNS:www.example.org --validity 9s --key-out www.key --out www.pem";
    place.sh(request).done();

    // The hook fails the first time that it is run, and is run again.
    let hook = "--hook 'echo $CHANCERY_CERT_UUID >> hooks; test $(wc -l < hooks) -gt 1'";
    let watching = watcher(&place, hook);
    let hooks = until_lines(&place, "hooks", 3);
    let hooks: Vec<_> = hooks.lines().collect();
    assert!(hooks[0] == hooks[1] && hooks[1] != hooks[2], "{hooks:?}");
    // Both names lead through one link, and a renewal may replace that between two looks.
    place.sh("test $(dirname $(readlink www.key)) = $(dirname $(readlink www.pem))").done();
    let look = "P=$(dirname $(readlink -f www.key)); openssl pkey -in $P/$(basename $(readlink www.key)) -pubout && \
        openssl x509 -in $P/$(basename $(readlink www.pem)) -pubkey -noout";
    let pair = place.sh(look).done();
    assert_eq!(pair.matches("BEGIN PUBLIC KEY").count(), 2);
    let (key, certificate) = pair.split_at(pair.len() / 2);
    assert_eq!(key, certificate);
    let second = place.sh(&format!(
        "{PROGRAM} cert renew www.example.org --server {} --ca ca.pem --api-key-file ci.key --cert-out www.pem",
        place.base()
    ));
    assert!(second.failed(2).contains("is at work on it"));

    outage(&mut place);
    let pid = fs::read_to_string(place.path("watch.pid")).unwrap();
    place.sh(&format!("kill -TERM {pid}")).done();
    assert_eq!(watching.join().unwrap(), "0\n", "{:?}", fs::read_to_string(place.path("watch.err")));

    // An application that is locked is told at once.
    place.sh("chancery identity lock web").done();
    let locked = watcher(&place, "").join().unwrap();
    let told = fs::read_to_string(place.path("watch.err")).unwrap();
    assert!(locked == "3\n" && told.contains("logging in by the API key"), "{locked}: {told}");
}

/// While the server is away that is told once; when it is back, what is due is renewed.
fn outage(place: &mut Place) {
    let address = place.demo.address();
    place.demo.server.signal("-TERM");
    place.demo.server.wait();
    sleep(Duration::from_secs(12));
    let told = fs::read_to_string(place.path("watch.err")).unwrap();
    assert_eq!(told.matches("could not be reached").count(), 1, "{told}");
    let before =
        fs::read_to_string(place.path("watch.out")).unwrap().lines().filter(|line| line.starts_with("renewed")).count();
    let data = place.path("data").display().to_string();
    place.demo.server = Server::spawn(place.folder(), &["quickstart", "--data", &data, "--listen", &address]);
    place.demo.server.wait_until("the last line", |server| server.output().contains("until Ctrl-C.").then_some(()));
    for _ in 0..WAITS {
        let said = fs::read_to_string(place.path("watch.out")).unwrap();
        if said.lines().filter(|line| line.starts_with("renewed")).count() > before {
            let told = fs::read_to_string(place.path("watch.err")).unwrap();
            assert!(told.contains("it works again"), "{told}");
            return;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("{:?}", fs::read_to_string(place.path("watch.err")));
}
