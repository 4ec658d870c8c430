//! Revocation lists against each other: what one says and another leaves out. All certificates and lists are OpenSSL's, and
//! where OpenSSL takes several lists of one issuer it decides the same.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    thread::sleep,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_verify::{
    path::{Breach, Crl, CrlSettings, Link, NotTrusted, PathSettings, PolicySettings, Purpose, find_path},
    read_crls, read_links,
};

#[path = "revocation/unclear.rs"]
mod unclear;

const AUTHORITY: &str = "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\n";
const SIGNER: &str = "keyUsage=critical,digitalSignature\nextendedKeyUsage=codeSigning\n";

/// Of the leaf, whose serial number is 77.
const REVOKED: &str = "R\t301231235959Z\t260101000000Z\t77\tunknown\t/CN=leaf\n";
const ON_HOLD: &str = "R\t301231235959Z\t260101000000Z,certificateHold\t77\tunknown\t/CN=leaf\n";

/// Before the tests are run, and long.
const EARLIER: &str = "-crl_lastupdate 20260101000000Z -crl_nextupdate 20360101000000Z";

/// From long after the leaf's end.
const LATE: &str = "-crl_lastupdate 20400101000000Z -crl_nextupdate 20410101000000Z";

/// 2040-06-01 00:00:00 UTC.
const LATE_MS: i64 = 2_222_121_600_000;

struct Pki {
    folder: TempDir,
}

impl Pki {
    /// A root and a leaf.
    fn new() -> Self {
        let this = Self { folder: temp_dir() };
        let root = "-subj /CN=Root -days 900 -config /dev/null -addext basicConstraints=critical,CA:true";
        this.openssl(&format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem {root}"
        ));
        this.issue("leaf", "leaf", "root", SIGNER, "-set_serial 0x77");
        this
    }

    fn openssl(&self, arguments: &str) {
        let _ran = Tool::new("openssl").args(arguments.split_whitespace()).folder(self.folder.path()).run();
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    fn issue(&self, file: &str, name: &str, issuer: &str, extensions: &str, more: &str) {
        self.write("extensions", extensions);
        let key = "ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null";
        self.openssl(&format!("req -newkey {key} -keyout {file}.key -out {file}.csr -subj /CN={name}"));
        let below = format!("-CA {issuer}.pem -CAkey {issuer}.key -CAcreateserial -days 300 -extfile extensions");
        self.openssl(&format!("x509 -req -in {file}.csr -out {file}.pem {below} {more}"));
    }

    /// A list of this number, with these lines of OpenSSL's database.
    fn list(&self, name: &str, issuer: &str, number: u32, lines: &str, options: &str) {
        self.write("index", lines);
        self.write("number", format!("{number:02}\n"));
        self.write(
            "ca.conf",
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ncrlnumber=number\ndefault_md=sha256\ndefault_crl_days=30\n\
             unique_subject=no\ncrl_extensions=e\n[e]\nauthorityKeyIdentifier=keyid\n[delta]\n\
             authorityKeyIdentifier=keyid\n2.5.29.27=critical,ASN1:INTEGER:1\n[authorities]\n\
             issuingDistributionPoint=critical,@authorities_only\n[authorities_only]\nonlyCA=TRUE\n\
             [kept]\n2.5.29.60=ASN1:GENERALIZEDTIME:20260101000000Z\n\
             [kept_since_later]\n2.5.29.60=ASN1:GENERALIZEDTIME:20390101000000Z\n\
             [unreadable]\n2.5.29.60=ASN1:NULL\n",
        );
        let made = format!("ca -gencrl -config ca.conf -cert {issuer}.pem -keyfile {issuer}.key -out {name}.crl");
        self.openssl(&format!("{made} {options}"));
    }

    fn links(&self, names: &[&str]) -> Vec<Link> {
        names.iter().flat_map(|name| read_links(&self.read(&format!("{name}.pem"))).unwrap()).collect()
    }

    fn lists(&self, names: &[&str]) -> Vec<Crl> {
        names.iter().flat_map(|name| read_crls(&self.read(&format!("{name}.crl"))).unwrap()).collect()
    }

    /// What the leaf breaks, with these lists in this order.
    fn breach(&self, others: &[&str], lists: &[&str]) -> Option<Breach> {
        self.breach_at(others, lists, now_ms())
    }

    fn breach_at(&self, others: &[&str], lists: &[&str], at_ms: i64) -> Option<Breach> {
        self.breach_for(Purpose::Any, others, lists, at_ms)
    }

    fn breach_for(&self, purpose: Purpose, others: &[&str], lists: &[&str], at_ms: i64) -> Option<Breach> {
        self.breach_seen(purpose, others, lists, at_ms, now_ms())
    }

    /// As somebody sees it at another moment than now.
    fn breach_seen(
        &self,
        purpose: Purpose,
        others: &[&str],
        lists: &[&str],
        at_ms: i64,
        seen_ms: i64,
    ) -> Option<Breach> {
        let (leaf, others, roots) = (self.links(&["leaf"]), self.links(others), self.links(&["root"]));
        let lists = self.lists(lists);
        let settings = PathSettings {
            at_ms,
            purpose,
            allow_weak: false,
            crls: Some(CrlSettings { lists: &lists, now_ms: seen_ms }),
            policies: PolicySettings::default(),
        };
        match find_path(&leaf[0], &others, &roots, &settings) {
            Ok(_) => None,
            Err(NotTrusted::Broken { breach, .. }) => Some(breach),
            Err(other) => panic!("{other}"),
        }
    }

    /// What OpenSSL answers, with the same lists.
    fn openssl_says(&self, lists: &[&str]) -> String {
        self.write("given.crl", lists.iter().flat_map(|name| self.read(&format!("{name}.crl"))).collect::<Vec<_>>());
        let arguments = ["verify", "-crl_check", "-CAfile", "root.pem", "-CRLfile", "given.crl", "leaf.pem"];
        let ran = Tool::new("openssl").args(arguments).folder(self.folder.path()).try_run();
        format!("{}{}", ran.text(), ran.stderr)
    }
}

/// Now, before the second in which the next list is signed: what it names is revoked by then.
fn moment() -> i64 {
    let at_ms = now_ms();
    sleep(Duration::from_millis(1_100));
    at_ms
}

fn now_ms() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

#[test]
fn a_list_that_revokes_wins_over_one_that_leaves_it_out() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    pki.list("new", "root", 2, REVOKED, "");
    // The certificate was over, so the list may leave it out again.
    pki.list("newest", "root", 3, "", "-crl_lastupdate 20260102000000Z -crl_nextupdate 20360101000000Z");
    pki.list("expired", "root", 1, REVOKED, "-crl_lastupdate 20260101000000Z -crl_nextupdate 20260102000000Z");
    assert_eq!(pki.breach(&[], &["old"]), None);
    for lists in [&["old", "new"][..], &["new", "old"], &["old", "new", "newest"], &["old", "expired"]] {
        assert_eq!(pki.breach(&[], lists), Some(Breach::Revoked), "{lists:?}");
    }
    assert!(pki.openssl_says(&["old"]).contains("leaf.pem: OK"));
    for lists in [["old", "new"], ["new", "old"]] {
        assert!(pki.openssl_says(&lists).contains("certificate revoked"), "{lists:?}");
    }
}

#[test]
fn a_hold_ends_by_a_newer_list_of_the_same_key() {
    let pki = Pki::new();
    pki.list("before", "root", 1, "", EARLIER);
    pki.list("hold", "root", 2, ON_HOLD, "");
    pki.list("after", "root", 3, "", "");
    pki.list("expired", "root", 2, ON_HOLD, "-crl_lastupdate 20260101000000Z -crl_nextupdate 20260102000000Z");
    for lists in [&["before", "hold"][..], &["hold", "before"], &["hold"]] {
        assert_eq!(pki.breach(&[], lists), Some(Breach::Revoked), "{lists:?}");
    }
    for lists in [&["hold", "after"][..], &["after", "before", "hold"], &["expired", "before"]] {
        assert_eq!(pki.breach(&[], lists), None, "{lists:?}");
    }
    // Deltas, in any order: the newest one counts.
    let removed = ON_HOLD.replace("certificateHold", "removeFromCRL");
    pki.list("release", "root", 4, &removed, "-crlexts delta");
    pki.list("again", "root", 5, ON_HOLD, "-crlexts delta");
    pki.list("forgood", "root", 5, REVOKED, "-crlexts delta");
    for lists in [["hold", "release"], ["release", "hold"]] {
        assert_eq!(pki.breach(&[], &lists), None, "{lists:?}");
    }
    for lists in [
        &["hold", "release", "again"][..],
        &["again", "release", "hold"],
        &["before", "again", "release"],
        &["forgood", "release", "before"],
        &["before", "release", "forgood"],
    ] {
        assert_eq!(pki.breach(&[], lists), Some(Breach::Revoked), "{lists:?}");
    }
    assert_eq!(pki.breach(&[], &["release"]), Some(Breach::Undetermined), "a delta alone");
    // Another key of the same name, which the root certified, does not take back what the root says.
    pki.issue("other", "Root", "root", AUTHORITY, "");
    pki.list("others", "other", 9, "", "");
    assert_eq!(pki.breach(&["other"], &["others", "before"]), None);
    assert_eq!(pki.breach(&["other"], &["others", "hold"]), Some(Breach::Revoked));
}

#[test]
fn only_who_belongs_to_the_issuer_speaks_for_it() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    pki.list("new", "root", 2, REVOKED, "");
    // The root's other key may speak, and does not speak against the root.
    pki.issue("other", "Root", "root", AUTHORITY, "");
    pki.list("others", "other", 9, "", "");
    assert_eq!(pki.breach(&["other"], &["others", "new"]), Some(Breach::Revoked));
    // An authority below the root gave somebody the root's name.
    pki.issue("below", "Below", "root", AUTHORITY, "");
    pki.issue("namesake", "Root", "below", "keyUsage=critical,cRLSign\n", "");
    pki.list("forged", "namesake", 9, "", "");
    pki.list("ofbelow", "below", 1, "", "");
    pki.list("authorities", "root", 1, "", "-crlexts authorities");
    let undetermined = Some(Breach::Undetermined);
    assert_eq!(pki.breach(&["below", "namesake"], &["forged", "ofbelow", "authorities"]), undetermined);
}

#[test]
fn a_list_counts_while_it_is_valid() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    pki.list("future", "root", 2, "", LATE);
    pki.list("futurehold", "root", 2, ON_HOLD, LATE);
    pki.list("expired", "root", 1, "", "-crl_lastupdate 20260101000000Z -crl_nextupdate 20260102000000Z");
    for list in ["future", "expired"] {
        assert_eq!(pki.breach(&[], &[list]), Some(Breach::Undetermined), "{list}");
    }
    assert!(pki.openssl_says(&["future"]).contains("CRL is not yet valid"));
    assert_eq!(pki.breach(&[], &["old", "futurehold"]), Some(Breach::Revoked), "it is signed all the same");
    pki.list("hold", "root", 1, ON_HOLD, "");
    assert_eq!(pki.breach(&[], &["hold", "future"]), Some(Breach::Revoked), "nor does it release");
    // Younger than the moment in question, but not than now.
    pki.list("young", "root", 3, "", "");
    assert_eq!(pki.breach_at(&[], &["young"], now_ms() + 3_600_000), None);
}

#[test]
fn a_list_whose_signature_cannot_be_checked_is_not_passed_over() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    for lines in ["", REVOKED] {
        pki.list("weak", "root", 2, lines, "-md sha1");
        let expected = (!lines.is_empty()).then_some(Breach::Undetermined);
        assert_eq!(pki.breach(&[], &["old", "weak"]), expected, "{lines}");
    }
}

#[test]
fn stamps_and_lists_of_a_key_that_may_be_stolen_count_no_more() {
    let pki = Pki::new();
    // Revoked long after the moment in question.
    let revoked = |serial: u32, reason: &str| {
        let comma = if reason.is_empty() { "" } else { "," };
        format!("R\t301231235959Z\t300101000000Z{comma}{reason}\t{serial}\tunknown\t/CN=leaf\n")
    };
    pki.issue("leaf", "leaf", "root", "extendedKeyUsage=critical,timeStamping\n", "-set_serial 0x77");
    let at_ms = moment();
    for (reason, is_void) in [
        ("", true),
        ("keyCompromise", true),
        ("CACompromise", true),
        ("certificateHold", true),
        ("unspecified", false),
        ("affiliationChanged", false),
        ("superseded", false),
        ("cessationOfOperation", false),
    ] {
        pki.list("later", "root", 2, &revoked(77, reason), "");
        let broken = is_void.then_some(Breach::Revoked);
        assert_eq!(pki.breach_for(Purpose::TimeStamping, &[], &["later"], at_ms), broken, "{reason}");
        assert_eq!(pki.breach_at(&[], &["later"], at_ms), None, "{reason}: of a signature another says when it was");
    }
    // An authority above the stamps' certificate, and the key that signs the lists of it.
    let reasons = [("keyCompromise", true), ("superseded", false)];
    pki.issue("below", "Below", "root", AUTHORITY, "-set_serial 0x88");
    pki.issue("leaf", "leaf", "below", "extendedKeyUsage=critical,timeStamping\n", "-set_serial 0x77");
    pki.list("ofbelow", "below", 1, "", "");
    let at_ms = moment();
    for (reason, is_void) in reasons {
        pki.list("later", "root", 2, &revoked(88, reason), "");
        let broken = is_void.then_some(Breach::Revoked);
        assert_eq!(pki.breach_for(Purpose::TimeStamping, &["below"], &["later", "ofbelow"], at_ms), broken);
        assert_eq!(pki.breach_at(&["below"], &["later", "ofbelow"], at_ms), None);
    }
    pki.issue("lists", "Below", "root", "keyUsage=critical,cRLSign\n", "-set_serial 0x99");
    pki.list("ofbelow", "lists", 1, "", "");
    let at_ms = moment();
    for (reason, is_void) in reasons {
        pki.list("later", "root", 2, &revoked(99, reason), "");
        let broken = is_void.then_some(Breach::Undetermined);
        assert_eq!(pki.breach_at(&["below", "lists"], &["later", "ofbelow"], at_ms), broken, "{reason}");
    }
}

#[test]
fn what_a_list_names_is_revoked_whatever_date_stands_there() {
    let pki = Pki::new();
    pki.list("ahead", "root", 1, "R\t301231235959Z\t301230000000Z\t77\tunknown\t/CN=leaf\n", "");
    assert_eq!(pki.breach(&[], &["ahead"]), Some(Breach::Revoked));
    assert!(pki.openssl_says(&["ahead"]).contains("certificate revoked"));
}

/// By then an issuer may have dropped it (RFC 5280, 3.3), unless the list says that it keeps such ones.
#[test]
fn a_list_from_after_the_end_of_a_certificate_tells_nothing_by_leaving_it_out() {
    let pki = Pki::new();
    let breach = |lists: &[&str]| pki.breach_seen(Purpose::Any, &[], lists, now_ms(), LATE_MS);
    let (undetermined, revoked) = (Some(Breach::Undetermined), Some(Breach::Revoked));
    for (says, lines, expected) in [
        ("e", "", undetermined),
        ("kept", "", None),
        ("kept_since_later", "", undetermined),
        ("unreadable", "", undetermined),
        ("e", REVOKED, revoked),
        ("kept", REVOKED, revoked),
        ("kept_since_later", REVOKED, revoked),
        ("unreadable", REVOKED, revoked),
    ] {
        pki.list("late", "root", 3, lines, &format!("{LATE} -crlexts {says}"));
        assert_eq!(breach(&["late"]), expected, "{says}, {lines}");
    }
    pki.list("late", "root", 3, "", LATE);
    pki.list("old", "root", 1, "", EARLIER);
    assert_eq!(breach(&["late", "old"]), None, "one from before covers it");
    // Nor does leaving it out, or removing it, end a hold then.
    pki.list("hold", "root", 2, ON_HOLD, "");
    let removed = ON_HOLD.replace("certificateHold", "removeFromCRL");
    for (says, lines, expected) in
        [("e", "", revoked), ("kept", "", None), ("delta", removed.as_str(), revoked), ("unreadable", "", revoked)]
    {
        pki.list("late", "root", 3, lines, &format!("{LATE} -crlexts {says}"));
        assert_eq!(breach(&["hold", "late"]), expected, "hold, {says}");
    }
}
