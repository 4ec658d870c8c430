//! `cert renew`, once: files that change together, PKCS#12, hooks, approvals.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use super::{login::at_a_terminal, place::Place};

const REQUEST: &str = "chancery cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' \
    --subject CN=www.example.org --san DNS:www.example.org --key-out www.key --out www.pem";

const RENEW: &str = "chancery cert renew www.example.org --cert-out www.pem";

/// The public key of a key, or of a certificate.
fn public_key(place: &Place, file: &str) -> String {
    let of_key = format!("openssl pkey -in {file} -pubout 2>/dev/null");
    place.sh(&format!("{of_key} || openssl x509 -in {file} -pubkey -noout")).done()
}

fn serial(place: &Place) -> String {
    place.sh("openssl x509 -in www.pem -serial -noout").done()
}

fn mode(place: &Place, file: &str) -> u32 {
    fs::metadata(place.path(file)).unwrap().permissions().mode() & 0o777
}

/// Key, certificate and PKCS#12 file are of one pair, and others read the latter.
fn is_one_pair(place: &Place) {
    let own = public_key(place, "www.key");
    assert_eq!(own, public_key(place, "www.pem"));
    place.sh("openssl pkcs12 -in www.p12 -passin pass:'secret word' -nodes -out all.pem").done();
    assert_eq!(own, public_key(place, "all.pem"));
    let read = fs::read_to_string(place.path("all.pem")).unwrap();
    assert_eq!(read.matches("BEGIN CERTIFICATE").count(), 2, "the issuer is in it: {read}");
    let listed = place.sh("keytool -list -v -keystore www.p12 -storepass 'secret word'").done();
    assert!(listed.contains("PrivateKeyEntry") && listed.contains("Certificate chain length: 2"), "{listed}");
    place.sh("openssl verify -CAfile root.pem www.pem").done();
}

#[test]
fn a_certificate_is_renewed_with_its_files() {
    let place = Place::logged_in();
    place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
    place.write("p12.password", "secret word\n");
    asked_for(&place);
    place.sh(&format!("{REQUEST} --p12 www.p12 --p12-password-file p12.password")).done();
    assert_eq!((mode(&place, "www.p12"), mode(&place, "www.key")), (0o600, 0o600));
    is_one_pair(&place);
    with_its_key(&place);
    with_another_key(&place);
    refusals(&place);
    not_left_out(&place);
    pending_of_another_name(&place);
    hooks(&place);
    revoked(&place);
    only_the_request(&place);
    without_the_right(&place);
    approved(&place);
}

/// What is said to do about a revoked certificate can be done, and half of a pair is never replaced.
fn revoked(place: &Place) {
    let own = REQUEST.replace("www", "gone");
    place.sh(&own).done();
    let renew = "chancery cert renew gone.example.org --cert-out gone.pem --key-out gone.key";
    place.sh(renew).done();
    let through = place.sh(&own.replace("--key-out gone.key", "--key-out through.key")).failed(2);
    assert!(through.contains("leads into .gone.pem.renewal") && !place.path("through.key").exists(), "{through}");
    let uuid = place.sh(
        "chancery cert list --serial-number $(openssl x509 -in gone.pem -serial -noout | cut -d= -f2) --output json",
    );
    let uuid = uuid.done().split("\"uuid\":\"").nth(1).unwrap()[..36].to_owned();
    place.sh(&format!("chancery cert revoke {uuid} --reason keyCompromise --yes")).done();
    let refused = place.sh(renew).failed(5);
    let line = refused.split("rm -r ").nth(1).and_then(|rest| rest.split(',').next()).expect("what to remove");
    place.sh(&format!("rm -r {line} && {own}")).done();
    assert_eq!(public_key(place, "gone.key"), public_key(place, "gone.pem"));
}

/// A file may have the private key beside the request: it stays here.
fn only_the_request(place: &Place) {
    place.sh("openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -keyout own.key -out own.csr").done();
    place.sh("cat own.key own.csr > both.pem").done();
    let request = "chancery cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' \
        --subject CN=own.example.org --san DNS:own.example.org --out own.pem --csr";
    place.sh(&format!("{request} both.pem")).done();
    assert_eq!(public_key(place, "own.key"), public_key(place, "own.pem"));
    let refused = place.sh(&format!("{request} own.key")).failed(2);
    assert!(refused.contains("no PKCS#10 request"), "{refused}");
}

/// Said when the watch begins, and not months later.
fn without_the_right(place: &Place) {
    place.sh("chancery role create --name submitters --logins-required 1 --perm Signing:Submit").done();
    let made = place.json("chancery identity create --name watcher --kind Application --role submitters");
    place.write("watcher.key", made["apiKey"].as_str().unwrap());
    for more in ["--watch", "--before 1d"] {
        let renew = format!("timeout 60 {RENEW} --api-key-file watcher.key {more}");
        let refused = place.sh(&renew).failed(5);
        assert!(refused.contains("CertManage:Generate is missing"), "{refused}");
    }
}

/// Where the password of a PKCS#12 file comes from: a file, the environment, a person. Never from nowhere.
fn asked_for(place: &Place) {
    let none = place.sh(&format!("{REQUEST} --p12 www.p12 < /dev/null")).failed(2);
    assert!(none.contains("there is no password for www.p12") && none.contains("--p12-password-file"), "{none}");
    let empty = place.sh(&format!("{REQUEST} --p12 www.p12 --p12-password-file /dev/null")).failed(2);
    assert!(empty.contains("the password is empty"), "{empty}");
    let same = place.sh(&format!("{REQUEST} --p12 www.key --p12-password-file p12.password")).failed(2);
    assert!(same.contains("the same file"), "{same}");
    let pipe = place.sh(&format!("{REQUEST} --p12 - --p12-password-file p12.password")).failed(2);
    assert!(pipe.contains("--p12 -: a file is expected"), "{pipe}");
    assert!(!place.path("www.key").exists() && !place.path("www.pem").exists());
    let asked = REQUEST.replace("www.key", "typed.key").replace("www.pem", "typed.pem");
    let questions = [("Password for typed.p12: ", "gr\u{fc}n"), ("The same again: ", "gr\u{fc}n")];
    for line in [format!("{asked} --p12 typed.p12"), format!("{asked} --p12 typed.p12 > answer")] {
        place.sh("rm -f typed.*").done();
        let typed = at_a_terminal(place, &line, &questions).done();
        assert!(!typed.contains("gr\u{fc}n"), "{typed}");
        assert!(typed.contains("--p12 typed.p12: Java will not read it"), "{typed}");
        place.sh("openssl pkcs12 -in typed.p12 -passin pass:gr\u{fc}n -nokeys -out /dev/null").done();
    }
    let differs = [("Password for typed.p12: ", "one"), ("The same again: ", "other")];
    let differs = at_a_terminal(place, &format!("rm typed.*; {asked} --p12 typed.p12"), &differs).out;
    assert!(differs.contains("the two passwords differ") && !place.path("typed.key").exists(), "{differs}");
    let wrong = format!("CHANCERY_P12_PASSWORD=$(printf '\\377') {asked} --p12 typed.p12 < /dev/null");
    let wrong = place.sh(&wrong).failed(2);
    assert!(wrong.contains("CHANCERY_P12_PASSWORD: it is no text") && !place.path("typed.key").exists(), "{wrong}");
    let given = format!("CHANCERY_P12_PASSWORD=environment {asked} --p12 typed.p12 < /dev/null");
    place.sh(&given).done();
    place.sh("openssl pkcs12 -in typed.p12 -passin pass:environment -nokeys -out /dev/null").done();
}

/// The key stays: what changes are the certificate and the file that has both.
fn with_its_key(place: &Place) {
    let (key, before) = (public_key(place, "www.key"), serial(place));
    let lacks = place.sh(&format!("{RENEW} --p12 www.p12 --p12-password-file p12.password")).failed(2);
    assert!(lacks.contains("--key-in"), "{lacks}");
    place.sh("openssl genpkey -algorithm ed25519 -out other.key").done();
    let packed = format!("{RENEW} --p12 www.p12 --p12-password-file p12.password --key-in");
    let issued = || place.sh("chancery cert list | grep -c www.example.org").done();
    let known = issued();
    let other = place.sh(&format!("{packed} other.key")).failed(2);
    assert!(other.contains("--key-in other.key: this is not the key of the certificate"), "{other}");
    assert_eq!((serial(place), issued()), (before.clone(), known), "nothing was issued");
    assert!(!place.path(".www.pem.renewal/pending").exists());
    let said = place.sh(&format!("{packed} www.key")).done();
    assert!(said.starts_with("renewed ") && said.contains(": www.pem, until "), "{said}");
    assert!(serial(place) != before && public_key(place, "www.key") == key);
    is_one_pair(place);
    assert!(!place.path("www.pem").is_symlink());
    // It would have the old certificate.
    let left_out = place.sh(RENEW).failed(2);
    assert!(left_out.contains("--p12 is missing") && left_out.contains("www.p12"), "{left_out}");
    let packed = format!("{packed} www.key --before 1d");
    let later = place.sh(&packed).done();
    assert!(later.contains("not due before"), "{later}");
    let json = place.json(&packed);
    assert_eq!(json["objInfo"]["name"], "www.example.org");
}

/// Key and certificate change together; a third generation takes the first one away.
fn with_another_key(place: &Place) {
    place.sh("chmod 640 www.key").done();
    let renew = format!("{RENEW} --key-out www.key --p12 www.p12 --p12-password-file p12.password");
    let mut keys = vec![public_key(place, "www.key")];
    for kind in ["", "", "--key ec-p384"] {
        place.sh(&format!("{renew} {kind} --hook 'env > hook.env; echo reloaded'")).done();
        is_one_pair(place);
        let own = public_key(place, "www.key");
        assert!(!keys.contains(&own));
        keys.push(own);
    }
    assert_eq!((mode(place, "www.key"), mode(place, "www.p12")), (0o640, 0o600));
    for (name, member) in [("www.pem", "certificate.pem"), ("www.key", "key.pem"), ("www.p12", "store.p12")] {
        let target = fs::read_link(place.path(name)).unwrap();
        assert_eq!(target.to_str().unwrap(), format!(".www.pem.renewal/current/{member}"));
    }
    let pairs = place.sh("ls .www.pem.renewal").done();
    assert_eq!(pairs.lines().filter(|name| name.len() == 36).count(), 2, "{pairs}");
    let curve = place.sh("openssl pkey -in www.key -noout -text").done();
    assert!(curve.contains("P-384"), "{curve}");
    let environment = fs::read_to_string(place.path("hook.env")).unwrap();
    let uuid = place.json(&format!("{renew} --before 1d"))["uuid"].as_str().unwrap().to_owned();
    for line in [
        &format!("CHANCERY_CERT_UUID={uuid}\n"),
        &format!("CHANCERY_CERT_FILE={}\n", place.path("www.pem").display()),
        &format!("CHANCERY_KEY_FILE={}\n", place.path("www.key").display()),
        &format!("CHANCERY_P12_FILE={}\n", place.path("www.p12").display()),
        "CHANCERY_CERT_NOT_AFTER=20",
    ] {
        assert!(environment.contains(line), "{line}: {environment}");
    }
    // In another folder, and by its uuid.
    place.sh("mkdir keys").done();
    let apart = format!("chancery cert renew {uuid} --cert-out apart.pem --key-out keys/apart.key");
    for _ in 0..2 {
        place.sh(&apart).done();
        assert_eq!(public_key(place, "apart.pem"), public_key(place, "keys/apart.key"));
    }
}

fn refusals(place: &Place) {
    let other = place.sh(&format!("{RENEW} --key-out other.key")).failed(2);
    assert!(other.contains("--key-out other.key: this is not the key of the certificate"), "{other}");
    let own =
        place.sh("ln -s www.pem link.pem; chancery cert renew www.example.org --cert-out link.pem --key-out l.key");
    assert!(own.failed(2).contains("it is a link"));
    let twice = place.sh(&format!("{RENEW} --key-out ./www.pem")).failed(2);
    assert!(twice.contains("something else would go to the same file"), "{twice}");
    let all = "--cert-out www.pem --key-in www.key --p12 www.p12 --p12-password-file p12.password";
    let another = place.sh(&format!("chancery cert renew 'Chancery Demo Root' {all}")).failed(2);
    assert!(another.contains("there is another certificate: CN=www.example.org"), "{another}");
    place.sh("openssl req -x509 -key other.key -subj /CN=www.example.org -out foreign.pem").done();
    let unknown = place.sh("chancery cert renew www.example.org --cert-out foreign.pem").failed(2);
    assert!(unknown.contains("the server does not know this certificate"), "{unknown}");
    let watch = place.sh(&format!("{RENEW} --watch")).failed(3);
    assert!(watch.contains("a login by password ends") && watch.contains("--api-key-file"), "{watch}");
    let alone = place.sh("chancery cert renew www.example.org --watch").failed(2);
    assert!(alone.contains("--cert-out"), "{alone}");
    let authority = place.sh("chancery cert renew 'Chancery Demo Root' --cert-out new.pem").failed(5);
    assert!(authority.contains("InvalidState"), "{authority}");
}

/// A name that an earlier run made, and that this one would leave leading nowhere.
fn not_left_out(place: &Place) {
    let renew = format!("{RENEW} --key-out www.key");
    let before = serial(place);
    for lacks in [&renew, RENEW] {
        let left_out = place.sh(lacks).failed(2);
        assert!(left_out.contains("--p12 is missing") && left_out.contains("current/store.p12"), "{left_out}");
    }
    place.sh("chancery cert renew nope --cert-out nope.pem").failed(2);
    assert!(!place.path(".nope.pem.renewal").exists(), "nothing was made");
    assert_eq!(serial(place), before);
    is_one_pair(place);
    // Another name for the key takes none away from the one before.
    let both = format!("{RENEW} --key-out second.key --p12 www.p12 --p12-password-file p12.password");
    place.sh(&both).done();
    is_one_pair(place);
    assert_eq!(public_key(place, "second.key"), public_key(place, "www.key"));
    place.sh("rm www.p12 .www.pem.renewal/current/store.p12").done();
    place.sh(&renew).done();
    assert_eq!(public_key(place, "www.key"), public_key(place, "www.pem"));
}

/// What was asked for under one name is not put in place under another.
fn pending_of_another_name(place: &Place) {
    let uuid = place.json(&format!("{RENEW} --before 1d --key-out www.key"))["uuid"].as_str().unwrap().to_owned();
    place.sh("mkdir .fresh.pem.renewal").done();
    place.write(".fresh.pem.renewal/pending", format!("certificate {uuid}"));
    let another = place.sh("chancery cert renew 'Chancery Demo Root' --cert-out fresh.pem").failed(2);
    assert!(another.contains("there is another certificate: CN=www.example.org"), "{another}");
    assert!(!place.path("fresh.pem").exists());
    // Of another key than the one that stays: told as what it is.
    let packed =
        "chancery cert renew www.example.org --cert-out fresh.pem --p12 fresh.p12 --p12-password-file p12.password";
    let key = place.sh(&format!("{packed} --key-in other.key")).failed(2);
    assert!(key.contains("this is not the key") && key.contains("once that is mended the command"), "{key}");
    place.sh("chancery cert renew www.example.org --cert-out fresh.pem").done();
    assert_eq!(public_key(place, "fresh.pem"), public_key(place, "www.key"));
}

/// A hook that fails is told and run again; that there is a new certificate is not forgotten.
fn hooks(place: &Place) {
    let before = serial(place);
    let failing = format!("{RENEW} --key-out www.key --hook 'echo tried >> tries; exit 7'");
    let failed = place.sh(&failing).failed(11);
    assert!(
        failed.contains("exit status: 7; trying again") && failed.contains("The certificate is in place"),
        "{failed}"
    );
    assert_eq!(fs::read_to_string(place.path("tries")).unwrap(), "tried\n".repeat(3));
    let after = serial(place);
    assert!(after != before);
    let again = place.sh(&format!("{RENEW} --key-out www.key --before 1d --hook 'echo said; exit 0'"));
    assert!(again.err.contains("said") && again.out.contains("not due"), "{again:?}");
    let quiet = place.sh(&format!("{RENEW} --key-out www.key --before 1d --hook 'echo said'"));
    assert!(!quiet.err.contains("said"), "{quiet:?}");
    assert_eq!(serial(place), after);
}

/// What takes approvals waits for them, with its key, and is not asked for twice.
fn approved(place: &Place) {
    place.sh("chancery ca approval 'Chancery Demo Root' --num-approvals 1").done();
    let (key, renew) = (public_key(place, "www.key"), format!("{RENEW} --key-out www.key"));
    for _ in 0..2 {
        let waits = place.sh(&renew).failed(8);
        assert!(waits.contains("waits for approvals: proposal "), "{waits}");
    }
    let waiting = place.json("chancery proposal list --waiting true --kind Certificate");
    assert_eq!(waiting["total"], 1, "{waiting}");
    let uuid = waiting["items"][0]["objInfo"]["uuid"].as_str().unwrap();
    assert_eq!(public_key(place, "www.key"), key);
    let another = "chancery cert renew 'Chancery Demo Root' --cert-out www.pem --key-out www.key";
    assert!(place.sh(another).failed(2).contains("there is another certificate"));
    place.sh(&format!("chancery proposal approve {uuid} --server-profile approver")).done();
    place.sh(&renew).done();
    let renewed = public_key(place, "www.key");
    assert!(renewed != key && renewed == public_key(place, "www.pem"));
    let waits = place.sh(&renew).failed(8);
    let uuid = waits.split("proposal ").nth(1).unwrap().split_whitespace().next().unwrap();
    place.sh(&format!("chancery proposal deny {uuid} --server-profile approver")).done();
    let denied = place.sh(&renew).failed(6);
    assert!(denied.contains("is Denied"), "{denied}");
    assert_eq!(public_key(place, "www.key"), renewed);
}

/// Ended at any moment, both names lead to one pair.
#[test]
fn a_pair_stays_a_pair_whenever_the_command_is_killed() {
    let place = Place::logged_in();
    place.sh(REQUEST).done();
    for turn in 0..12 {
        let line = format!("timeout -s KILL 0.{:03} {RENEW} --key-out www.key", 20 + 25 * turn);
        let _killed = place.sh(&line);
        assert_eq!(public_key(&place, "www.key"), public_key(&place, "www.pem"), "{line}");
    }
    std::thread::sleep(Duration::from_millis(50));
    place.sh(&format!("{RENEW} --key-out www.key")).done();
    assert_eq!(public_key(&place, "www.key"), public_key(&place, "www.pem"));
    assert!(!place.path(".www.pem.renewal/next").exists() && !place.path(".www.pem.renewal/pending").exists());
}
