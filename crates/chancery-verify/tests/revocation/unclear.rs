//! Lists in which something cannot be read, is there twice, or does not belong there: whom they name is not taken for good
//! because another list leaves it out.

use chancery_verify::path::{Breach, Purpose};
use der::{
    Decode, Encode,
    asn1::{BitString, OctetString},
};
use x509_cert::{
    crl::{CertificateList, TbsCertList},
    ext::Extension,
};

use super::{EARLIER, LATE, LATE_MS, ON_HOLD, Pki, REVOKED, moment, now_ms};

const REASON: &str = "2.5.29.21";
const INVALIDITY_DATE: &str = "2.5.29.24";
const CERTIFICATE_ISSUER: &str = "2.5.29.29";

const REVOKED_OR_NOT: Option<Breach> = Some(Breach::Undetermined);

impl Pki {
    /// Changes a list of the root's, and signs it again.
    fn alter(&self, name: &str, change: impl FnOnce(&mut TbsCertList)) {
        self.openssl(&format!("crl -in {name}.crl -outform DER -out list"));
        let mut list: CertificateList = CertificateList::from_der(&self.read("list")).unwrap();
        change(&mut list.tbs_cert_list);
        self.write("tbs", list.tbs_cert_list.to_der().unwrap());
        self.openssl("dgst -sha256 -sign root.key -out signature tbs");
        list.signature = BitString::from_bytes(&self.read("signature")).unwrap();
        self.write(&format!("{name}.crl"), list.to_der().unwrap());
    }

    /// A list with one entry that has these extensions.
    fn list_with(&self, name: &str, line: &str, extensions: &[Extension]) {
        self.list(name, "root", 2, line, "");
        self.alter(name, |list| {
            let entry = &mut list.revoked_certificates.as_mut().unwrap()[0];
            entry.crl_entry_extensions = Some(extensions.to_vec());
        });
    }
}

fn extension(oid: &str, critical: bool, value: &[u8]) -> Extension {
    Extension { extn_id: oid.parse().unwrap(), critical, extn_value: OctetString::new(value).unwrap() }
}

#[test]
fn what_cannot_be_read_of_an_entry_does_not_make_its_certificate_good() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    let of_another = REVOKED.replace("\t77\t", "\t78\t");
    let cases: [(&str, &[u8]); 7] = [
        (REASON, b"\x0a\x01\x07"),
        (REASON, b"\x0a\x01\x0b"),
        (REASON, b"\x05\x00"),
        (INVALIDITY_DATE, b"\x18\x1120200101000000.5Z"),
        (INVALIDITY_DATE, b"\x18\x0f19690101000000Z"),
        (INVALIDITY_DATE, b"\x17\x0d200101000000Z"),
        ("1.2.3.4", b"\x05\x00"),
    ];
    for (oid, value) in cases {
        pki.list_with("new", REVOKED, &[extension(oid, false, value)]);
        for lists in [&["new"][..], &["old", "new"], &["new", "old"]] {
            assert_eq!(pki.breach(&[], lists), Some(Breach::Revoked), "{oid}, {value:?}, {lists:?}");
        }
        pki.list_with("new", &of_another, &[extension(oid, false, value)]);
        assert_eq!(pki.breach(&[], &["new"]), None, "{oid}, {value:?}: of another certificate");
    }
    // Where it has to be understood, the list tells nothing (RFC 5280, 5.3), and nobody else knows what it meant.
    let needed = cases.map(|(oid, value)| extension(oid, true, value));
    for needed in needed.into_iter().chain([extension(CERTIFICATE_ISSUER, false, b"\x05\x00")]) {
        let needed = [needed];
        pki.list_with("new", REVOKED, &needed);
        assert_eq!(pki.breach(&[], &["old", "new"]), REVOKED_OR_NOT, "{needed:?}");
        pki.list_with("new", &of_another, &needed);
        assert_eq!(pki.breach(&[], &["new"]), REVOKED_OR_NOT, "{needed:?}");
        assert_eq!(pki.breach(&[], &["old", "new"]), None, "{needed:?}: of another certificate");
    }
}

#[test]
fn a_reason_that_cannot_be_read_may_be_a_stolen_key() {
    let pki = Pki::new();
    pki.issue("leaf", "leaf", "root", "extendedKeyUsage=critical,timeStamping\n", "-set_serial 0x77");
    let at_ms = moment();
    // Revoked after the moment in question.
    let line = REVOKED.replace("\t260101", "\t300101");
    for (reason, expected) in [(b"\x0a\x01\x04", None), (b"\x0a\x01\x07", Some(Breach::Revoked))] {
        pki.list_with("later", &line, &[extension(REASON, false, reason)]);
        assert_eq!(pki.breach_for(Purpose::TimeStamping, &[], &["later"], at_ms), expected, "{reason:?}");
        assert_eq!(pki.breach_at(&[], &["later"], at_ms), None, "{reason:?}: of a signature another says when it was");
    }
}

#[test]
fn what_a_list_says_twice_is_not_certain() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    let reasons: [&[u8]; 2] = [b"\x0a\x01\x01", b"\x0a\x01\x06"];
    pki.list_with("new", REVOKED, &reasons.map(|reason| extension(REASON, false, reason)));
    assert_eq!(pki.breach(&[], &["old", "new"]), REVOKED_OR_NOT, "stolen, and on hold");
    // It keeps what ended since 2039, and what ended since 2026.
    let since_2026 = extension("2.5.29.60", false, b"\x18\x0f20260101000000Z");
    for (line, lists, expected) in [
        ("", &["late"][..], REVOKED_OR_NOT),
        ("", &["late", "old"][..], None),
        (REVOKED, &["late", "old"][..], REVOKED_OR_NOT),
    ] {
        pki.list("late", "root", 3, line, &format!("{LATE} -crlexts kept_since_later"));
        pki.alter("late", |list| list.crl_extensions.as_mut().unwrap().push(since_2026.clone()));
        let breach = pki.breach_seen(Purpose::Any, &[], lists, now_ms(), LATE_MS);
        assert_eq!(breach, expected, "{line}, {lists:?}");
    }
}

#[test]
fn only_a_delta_takes_an_entry_back() {
    let pki = Pki::new();
    pki.list("old", "root", 1, "", EARLIER);
    pki.list("hold", "root", 2, ON_HOLD, "");
    pki.list("removed", "root", 3, &ON_HOLD.replace("certificateHold", "removeFromCRL"), "");
    for lists in [&["removed"][..], &["old", "removed"], &["hold", "removed"]] {
        assert_eq!(pki.breach(&[], lists), Some(Breach::Revoked), "{lists:?}");
    }
}

#[test]
fn a_list_from_after_the_end_of_a_certificate_says_when_what_it_names_was_revoked() {
    let pki = Pki::new();
    for (line, expected) in [(REVOKED, Some(Breach::Revoked)), (&*REVOKED.replace("\t260101", "\t300101"), None)] {
        pki.list("late", "root", 3, line, LATE);
        assert_eq!(pki.breach_seen(Purpose::Any, &[], &["late"], now_ms(), LATE_MS), expected, "{line}");
    }
}
