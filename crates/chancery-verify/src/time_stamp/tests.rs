use std::fs;

use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::{HashType, SigningFormat};
use chancery_x509::{
    cms::{self, ContentInfo},
    tsp::request::TimeStampReq,
};
use der::{Encode, asn1::SetOfVec};

use super::*;
use crate::{NotVerified, Stamp, Trust, read_links, testing::now_ms, verify_signature};

/// A root, and authorities below it, as OpenSSL makes them.
struct Authorities {
    folder: TempDir,
    roots: Vec<Link>,
}

/// What `openssl ts` is told.
const SETTINGS: &str = "\
[tsa]
default_tsa = one
[one]
serial = serial
signer_digest = sha256
default_policy = 2.25.77
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
[stamps]
extendedKeyUsage = critical,timeStamping
[lax]
extendedKeyUsage = timeStamping
[both]
extendedKeyUsage = critical,timeStamping,codeSigning
[ca]
basicConstraints = critical,CA:true
";

impl Authorities {
    fn new() -> Self {
        let folder = temp_dir();
        fs::write(folder.path().join("settings"), SETTINGS).unwrap();
        fs::write(folder.path().join("serial"), "01").unwrap();
        let mut this = Self { folder, roots: Vec::new() };
        for (name, key) in [("root", "ec -pkeyopt ec_paramgen_curve:P-256"), ("other", "rsa:2048")] {
            let made =
                format!("req -x509 -newkey {key} -nodes -keyout {name}.key -out {name}.pem -subj /CN=Root -days 30");
            this.openssl(&format!("{made} -config /dev/null -addext basicConstraints=critical,CA:true"));
        }
        this.roots = read_links(&this.read("root.pem")).unwrap();
        this
    }

    fn openssl(&self, arguments: &str) {
        let _ran = Tool::new("openssl35").args(arguments.split_whitespace()).folder(self.folder.path()).run();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    fn other_roots(&self) -> Vec<Link> {
        read_links(&self.read("other.pem")).unwrap()
    }

    /// An authority whose certificate has these extensions.
    fn authority(&self, key: &str, extensions: &str) {
        self.openssl(&format!("req -newkey {key} -nodes -keyout tsa.key -out tsa.csr -subj /CN=TSA -config /dev/null"));
        self.openssl(&format!(
            "x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -out tsa.pem -days 20 -extfile settings \
             -extensions {extensions}"
        ));
    }

    /// The answer of the authority that was made last.
    fn answer(&self, asked: &Asked, options: &str) -> Vec<u8> {
        let request = TimeStampReq {
            version: 1,
            message_imprint: asked.imprint.clone(),
            req_policy: None,
            nonce: Some(asked.nonce.clone()),
            cert_req: true,
            extensions: None,
        };
        fs::write(self.folder.path().join("query"), request.to_der().unwrap()).unwrap();
        self.openssl(&format!(
            "ts -reply -config settings -section one -queryfile query -signer tsa.pem -inkey tsa.key -chain root.pem \
             -out reply {options}"
        ));
        self.read("reply")
    }
}

fn asked(text: &str, with: HashType, nonce: u8) -> Asked {
    let imprint = MessageImprint::of(&hash(with, text.as_bytes())).unwrap();
    Asked { imprint, nonce: Int::new(&[0x40, nonce]).unwrap() }
}

#[test]
fn stamps_of_openssl_are_taken_for_what_they_are() {
    let authorities = Authorities::new();
    let now_ms = now_ms();
    let roots = Some(authorities.roots.as_slice());
    let other_roots = authorities.other_roots();
    for (key, with) in [
        ("rsa:2048", HashType::Sha2_256),
        ("ec -pkeyopt ec_paramgen_curve:P-256", HashType::Sha2_384),
        ("ec -pkeyopt ec_paramgen_curve:P-384", HashType::Sha2_512),
    ] {
        authorities.authority(key, "stamps");
        let question = asked("text", with, 1);
        let answer = authorities.answer(&question, "");
        let token = check(&answer, &question, roots, now_ms).unwrap();
        assert!(answer.ends_with(&token));
        check(&answer, &question, None, now_ms).unwrap();
        let refused = |question: &Asked, roots, now_ms| check(&answer, question, roots, now_ms).unwrap_err();
        assert_eq!(refused(&asked("other", with, 1), roots, now_ms), BadStamp::Imprint);
        assert_eq!(refused(&asked("text", with, 2), roots, now_ms), BadStamp::Nonce);
        assert_eq!(refused(&question, Some(&other_roots), now_ms), BadStamp::Chain);
        for apart_ms in [-6 * 60_000, 6 * 60_000] {
            assert_eq!(refused(&question, roots, now_ms + apart_ms), BadStamp::Time);
        }
    }
}

#[test]
fn certificates_for_anything_else_are_refused() {
    let authorities = Authorities::new();
    let question = asked("text", HashType::Sha2_256, 1);
    // OpenSSL does not stamp with such certificates, so that a good token gets one of them: the key is the same.
    authorities.authority("rsa:2048", "stamps");
    let answer = authorities.answer(&question, "");
    // Not before the certificate is valid.
    let now_ms = now_ms();
    let good = check(&answer, &question, None, now_ms).unwrap();
    let signed = ContentInfo::from_der(&good).unwrap().content;
    let certificates = certificates_of(&signed).unwrap();
    let leaf = signer_certificate(signed.signer_infos.get(0).unwrap(), &certificates).unwrap().clone();
    check_certificate(&leaf, now_ms).unwrap();
    assert_eq!(check_certificate(&leaf, now_ms + 30 * 24 * 3_600_000), Err(BadStamp::Certificate), "expired");
    for extensions in ["lax", "both", "ca"] {
        authorities.authority("rsa:2048", extensions);
        let other = &read_links(&authorities.read("tsa.pem")).unwrap()[0];
        assert_eq!(check_certificate(other, now_ms), Err(BadStamp::Certificate), "{extensions}");
        let named = check_named(signed.signer_infos.get(0).unwrap(), other);
        assert_eq!(named, Err(BadStamp::SigningCertificate));
    }
}

#[test]
fn refusals_and_rubbish_are_told_apart() {
    let question = asked("text", HashType::Sha2_256, 1);
    let authorities = Authorities::new();
    authorities.authority("rsa:2048", "stamps");
    let weak = Asked { imprint: MessageImprint::of(&hash(HashType::Sha3_256, b"x")).unwrap(), nonce: question.nonce };
    let refused = check(&authorities.answer(&weak, ""), &weak, None, 0).unwrap_err();
    assert!(matches!(&refused, BadStamp::Rejected { status: 2, .. }), "{refused}");
    for none in [&b""[..], b"<html>", &[0x30; 64], &[0x30, 0]] {
        assert_eq!(check(none, &weak, None, 0).unwrap_err(), BadStamp::Form);
    }
}

#[test]
fn a_stamp_over_a_broken_hash_is_called_weak() {
    let authorities = Authorities::new();
    authorities.authority("rsa:2048", "stamps");
    let question = asked("text", HashType::Sha2_256, 1);
    let answer = authorities.answer(&question, "-sha1");
    assert_eq!(check(&answer, &question, None, now_ms()).unwrap_err(), BadStamp::Weak(HashType::Sha1));
}

#[test]
fn no_prefix_and_no_flipped_byte_of_what_is_signed_is_taken_or_panics() {
    let authorities = Authorities::new();
    authorities.authority("ec -pkeyopt ec_paramgen_curve:P-256", "stamps");
    let question = asked("text", HashType::Sha2_256, 1);
    let answer = authorities.answer(&question, "");
    let now_ms = now_ms();
    let roots = Some(authorities.roots.as_slice());
    let good = check(&answer, &question, roots, now_ms).unwrap();
    for len in 0..answer.len() {
        assert!(check(&answer[..len], &question, roots, now_ms).is_err(), "{len}");
    }
    for at in 0..answer.len() {
        let mut flipped = answer.clone();
        flipped[at] ^= 0x40;
        // A certificate that is not needed may change; what was stamped may not.
        if let Ok(token) = check(&flipped, &question, roots, now_ms) {
            let enclosed = |token: &[u8]| ContentInfo::from_der(token).unwrap().content.enclosed(TST_INFO).unwrap();
            assert_eq!(enclosed(&token), enclosed(&good), "{at}");
        }
    }
}

#[test]
fn a_signature_and_its_stamp_by_openssl_outlive_the_certificate() {
    let authorities = Authorities::new();
    authorities.authority("rsa:2048", "stamps");
    let ec = "ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null";
    authorities.openssl(&format!("req -newkey {ec} -keyout leaf.key -out leaf.csr -subj /CN=leaf"));
    // It is over before the authority's certificate is.
    authorities.openssl("x509 -req -in leaf.csr -CA other.pem -CAkey other.key -CAcreateserial -out leaf.pem -days 2");
    fs::write(authorities.folder.path().join("content"), "content").unwrap();
    let out = "-binary -md sha384 -outform DER -in content -out cms";
    authorities.openssl(&format!("cms -sign -signer leaf.pem -inkey leaf.key {out}"));
    let plain = authorities.read("cms");

    // What openssl stamps is put beside what openssl signed.
    let stamped = |stamp_over: &dyn Fn(&[u8]) -> Vec<u8>, oid| {
        let mut info = ContentInfo::from_der(&plain).unwrap();
        let mut signer = info.content.signer_infos.into_vec().remove(0);
        let imprint = MessageImprint::of(&hash(HashType::Sha2_256, &stamp_over(signer.signature.as_bytes()))).unwrap();
        let question = Asked { imprint, nonce: Int::new(&[0x40]).unwrap() };
        let token = check(&authorities.answer(&question, ""), &question, None, now_ms()).unwrap();
        let stamp = cms::attribute(oid, &Any::from_der(&token).unwrap()).unwrap();
        signer.unsigned_attrs = Some(SetOfVec::try_from(vec![stamp]).unwrap());
        info.content.signer_infos = SetOfVec::try_from(vec![signer]).unwrap();
        info.to_der().unwrap()
    };
    let oid = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");
    let good = stamped(&<[u8]>::to_vec, oid);
    let of_another = stamped(&|_| b"another signature".to_vec(), oid);
    let [root, stamping_root] = ["other.pem", "root.pem"].map(|name| read_links(&authorities.read(name)).unwrap());
    let in_a_week = now_ms() + 7 * 24 * 3_600_000;
    let verify_at = |at_ms, cms: &[u8], stamping_roots| {
        let digest = |with| hash(with, b"content").as_bytes().to_vec();
        let trust = Trust { stamping_roots, purpose: Purpose::Any, ..Trust::code_signing(&root, at_ms) };
        verify_signature(cms, SigningFormat::Cms, digest, &trust)
    };
    let verify = |cms: &[u8], stamping_roots| verify_at(in_a_week, cms, stamping_roots);
    let (trusted, other) = (Some(stamping_root.as_slice()), Some(root.as_slice()));
    let verified = verify(&good, trusted).unwrap();
    assert!(
        matches!(verified.stamp, Stamp::Good { ref authority, at_ms } if authority == "CN=TSA" && at_ms < in_a_week)
    );
    assert_eq!(verify(&good, None).unwrap_err(), NotVerified::Validity, "nobody is trusted to stamp");
    assert_eq!(verify(&plain, trusted).unwrap_err(), NotVerified::NoStamp);
    assert_eq!(verify(&good, other).unwrap_err(), NotVerified::Stamp(BadStamp::Chain));
    assert_eq!(verify(&of_another, trusted).unwrap_err(), NotVerified::Stamp(BadStamp::Imprint));
    let before = now_ms() - 7 * 24 * 3_600_000;
    assert_eq!(verify_at(before, &good, trusted).unwrap_err(), NotVerified::Stamp(BadStamp::Future));
}
