//! `chancery verify --signature` against everything that makes a signature or the path of its certificate a bad one. All
//! certificates, signatures and revocation lists are OpenSSL's.

use std::fs;

use chancery_testkit::{Ran, TempDir, Tool, temp_dir};

use crate::process::chancery;

const AUTHORITY: &str = "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\n";
const SIGNER: &str = "keyUsage=critical,digitalSignature\nextendedKeyUsage=codeSigning\n";

/// A root, and what is issued below it.
struct Pki {
    folder: TempDir,
}

impl Pki {
    fn new() -> Self {
        Self::with("ec -pkeyopt ec_paramgen_curve:P-256")
    }

    /// With such a key of the root.
    fn with(key: &str) -> Self {
        let this = Self { folder: temp_dir() };
        this.openssl(&format!(
            "req -x509 -newkey {key} -nodes -keyout root.key -out root.pem -subj /CN=Root -days 30 -config /dev/null \
             -addext basicConstraints=critical,CA:true"
        ));
        this.write("content", "content");
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

    fn issue(&self, name: &str, issuer: &str, extensions: &str, more: &str) {
        let key = if more.contains("long rsa") {
            "rsa:3072"
        } else if more.contains("rsa") {
            "rsa:2048"
        } else {
            "ec -pkeyopt ec_paramgen_curve:P-256"
        };
        let more = more.replace("long rsa", "").replace("rsa", "");
        self.write("extensions", extensions);
        self.openssl(&format!(
            "req -newkey {key} -nodes -keyout {name}.key -out {name}.csr -subj /CN={name} -config /dev/null"
        ));
        self.openssl(&format!(
            "x509 -req -in {name}.csr -CA {issuer}.pem -CAkey {issuer}.key -CAcreateserial -out {name}.pem -days 20 \
             -extfile extensions {more}"
        ));
    }

    /// Signs the content, by default detached; `chain` are the certificates that are enclosed besides the signer's.
    fn sign(&self, signer: &str, chain: &[&str], options: &str) {
        let chain: Vec<u8> = chain.iter().flat_map(|name| self.read(&format!("{name}.pem"))).collect();
        let enclosed = if chain.is_empty() { "" } else { "-certfile chain" };
        self.write("chain", chain);
        self.openssl(&format!(
            "cms -sign -binary -outform DER -signer {signer}.pem -inkey {signer}.key {enclosed} -in content -out p7s \
             {options}"
        ));
    }

    fn verify(&self, options: &str) -> Ran {
        let arguments = ["verify", "--signature", "p7s", "--file", "content"];
        chancery(&arguments).args(options.split_whitespace()).folder(self.folder.path()).try_run()
    }

    fn verified(&self, options: &str) {
        let ran = self.verify(options);
        assert!(ran.status.success() && ran.text().ends_with("verified\n"), "{options}: {}", ran.stderr);
    }

    fn refused(&self, options: &str, code: i32, why: &str) {
        let ran = self.verify(options);
        assert_eq!(ran.status.code(), Some(code), "{options}: {why}: {}{}", ran.text(), ran.stderr);
        assert!(ran.stderr.contains(why), "{options}: no {why:?} in {}", ran.stderr);
    }
}

#[test]
fn a_path_that_breaks_a_rule_is_refused() {
    let pki = Pki::new();
    let names = format!("{AUTHORITY}nameConstraints=critical,permitted;email:example.com\n");
    let mailbox = format!("{SIGNER}subjectAltName=email:a@example.org\n");
    let unknown = format!("{SIGNER}1.2.3.4=critical,ASN1:NULL\n");
    for (authority, signer, why) in [
        (AUTHORITY, SIGNER, None),
        ("basicConstraints=critical,CA:true\nkeyUsage=critical,cRLSign\n", SIGNER, Some("keyUsage")),
        ("basicConstraints=critical,CA:false\n", SIGNER, Some("no certificate authority")),
        ("keyUsage=critical,keyCertSign\n", SIGNER, Some("no certificate authority")),
        (&names, &mailbox, Some("nameConstraints")),
        (AUTHORITY, &unknown, Some("not known here: 1.2.3.4")),
        (AUTHORITY, "extendedKeyUsage=serverAuth,clientAuth\n", Some("not for this purpose")),
        (AUTHORITY, "keyUsage=critical,keyEncipherment\nextendedKeyUsage=codeSigning\n", Some("not for this purpose")),
        (AUTHORITY, "basicConstraints=CA:false\n", Some("not for this purpose")),
    ] {
        pki.issue("authority", "root", authority, "");
        pki.issue("signer", "authority", signer, "");
        pki.sign("signer", &["authority"], "");
        match why {
            None => pki.verified("--root root.pem"),
            Some(why) => pki.refused("--root root.pem", 1, why),
        }
    }
    pki.verified("--root root.pem --purpose any");
    pki.refused("--root root.pem --purpose emailProtection", 1, "not for this purpose");
    pki.refused("--root root.pem --purpose everything", 2, "--purpose");
    pki.sign("signer", &[], "");
    pki.refused("--root root.pem --purpose any", 1, "does not lead to the trusted root");

    pki.issue("authority", "root", &AUTHORITY.replace("CA:true", "CA:true,pathlen:0"), "");
    pki.issue("below", "authority", AUTHORITY, "");
    pki.issue("signer", "below", SIGNER, "");
    pki.sign("signer", &["below", "authority"], "");
    pki.refused("--root root.pem", 1, "pathLenConstraint");
}

#[test]
fn broken_hashes_are_refused_unless_they_are_allowed() {
    let pki = Pki::with("rsa:2048");
    for hash in ["-md5", "-sha1"] {
        pki.issue("signer", "root", SIGNER, hash);
        pki.sign("signer", &[], "-md sha256");
        pki.refused("--root root.pem", 1, "broken hash");
        pki.verified("--root root.pem --allow-weak");
    }
    pki.issue("signer", "root", SIGNER, "rsa");
    for (hash, name) in [("md5", "Md5"), ("sha1", "Sha1")] {
        pki.sign("signer", &[], &format!("-md {hash}"));
        pki.refused("--root root.pem", 1, name);
        pki.verified("--root root.pem --allow-weak");
    }
    pki.issue("signer", "root", SIGNER, "");
    pki.sign("signer", &[], "");
    pki.verified("--root root.pem");
}

#[test]
fn a_cms_that_contradicts_itself_is_refused() {
    let pki = Pki::new();
    pki.issue("signer", "root", SIGNER, "");
    pki.sign("signer", &[], "-md sha256");
    let good = pki.read("p7s");
    let changed = |from: &[u8], to: u8| {
        let place = good.windows(from.len()).position(|window| window == from).unwrap() + from.len() - 1;
        let mut changed = good.clone();
        changed[place] = to;
        pki.write("p7s", changed);
    };
    // The first of each: id-signedData becomes id-envelopedData, and among the digestAlgorithms SHA-256 becomes SHA-384.
    changed(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2], 3);
    pki.refused("--root root.pem", 1, "not a CMS signature");
    changed(&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1], 2);
    pki.refused("--root root.pem", 1, "not a CMS signature");
    pki.sign("signer", &[], "-nodetach");
    pki.verified("--root root.pem");
    // What is enclosed is changed; what stands beside it is what was signed.
    let mut other = pki.read("p7s");
    let place = other.windows(9).position(|window| window == b"\x04\x07content").unwrap();
    other[place + 2] = b'k';
    pki.write("p7s", other);
    pki.refused("--root root.pem", 1, "the content is not the one");
}

#[test]
fn salts_of_pss_are_as_long_as_the_parameters_say() {
    let pki = Pki::new();
    pki.issue("signer", "root", SIGNER, "rsa");
    for salt in ["20", "32", "0", "64"] {
        pki.sign("signer", &[], &format!("-keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:{salt}"));
        pki.verified("--root root.pem");
    }
    // As long as possible, as OpenSSL has it where nobody says otherwise: 350 bytes.
    pki.issue("signer", "root", SIGNER, "long rsa");
    pki.sign("signer", &[], "-keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:max");
    pki.verified("--root root.pem");
}

#[test]
fn what_is_not_supported_is_not_called_wrong() {
    let pki = Pki::with("rsa:2048");
    let openssl_takes_it = || {
        let verify = "cms -verify -binary -inform DER -in p7s -content content -CAfile root.pem -purpose any -out out";
        pki.openssl(verify);
    };
    pki.issue("signer", "root", SIGNER, "rsa");
    pki.sign("signer", &[], "-keyopt rsa_padding_mode:pss -keyopt rsa_mgf1_md:sha512");
    openssl_takes_it();
    pki.refused("--root root.pem", 2, "the signature is not checked: 1.2.840.113549.1.1.10 is not supported");
    // A certificate that is signed so.
    let below = "-CA root.pem -CAkey root.key -CAcreateserial -days 20 -extfile extensions";
    let pss = "-sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:sha512";
    pki.openssl(&format!("x509 -req -in signer.csr -out signer.pem {below} {pss}"));
    pki.sign("signer", &[], "");
    openssl_takes_it();
    pki.refused("--root root.pem", 2, "the certificate of CN=signer is not checked: 1.2.840.113549.1.1.10 is not");
    // Keys for PSS alone, and on another curve.
    for (key, padding, kind) in [
        ("RSA-PSS -pkeyopt rsa_keygen_bits:2048", "-keyopt rsa_padding_mode:pss", "1.2.840.113549.1.1.10"),
        ("EC -pkeyopt group:secp256k1", "", "1.2.840.10045.2.1"),
    ] {
        pki.openssl(&format!("genpkey -algorithm {key} -out other.key"));
        pki.openssl("req -new -key other.key -out other.csr -subj /CN=other -config /dev/null");
        pki.openssl(&format!("x509 -req -in other.csr -out other.pem {below}"));
        pki.sign("other", &[], padding);
        openssl_takes_it();
        pki.refused("--root root.pem", 2, &format!("the signature is not checked: {kind} is not supported"));
    }
}

#[test]
fn roots_are_read_as_people_have_them() {
    let pki = Pki::new();
    pki.issue("signer", "root", SIGNER, "");
    pki.sign("signer", &[], "");
    let [root, other] = ["root.pem", "signer.pem"].map(|name| String::from_utf8(pki.read(name)).unwrap());
    for file in [
        format!("\n\n{root}\n\n"),
        format!("# our root\nsubject=CN = Root\n{root}\nthat was it\n"),
        format!("{other}\n{root}"),
        format!("{root}\n").replace('\n', "\r\n"),
    ] {
        pki.write("roots.pem", file);
        pki.verified("--root roots.pem");
    }
    pki.openssl("x509 -in root.pem -outform DER -out root.der");
    pki.verified("--root root.der");
    for none in ["", "no certificate", &root[..200]] {
        pki.write("roots.pem", none);
        pki.refused("--root roots.pem", 2, "--root roots.pem");
        pki.refused("--root root.pem --tsa-root roots.pem", 2, "--tsa-root roots.pem");
        pki.refused("--root root.pem --crl roots.pem", 2, "--crl roots.pem");
    }
    pki.refused("--root absent.pem", 2, "absent.pem");
    pki.refused("--root root.pem --tsa-root root.pem", 1, "there is no time stamp");
}

#[test]
fn signatures_are_read_as_people_have_them() {
    let pki = Pki::new();
    pki.issue("signer", "root", SIGNER, "");
    pki.sign("signer", &[], "-outform PEM");
    let pem = String::from_utf8(pki.read("p7s")).unwrap();
    assert!(pem.starts_with("-----BEGIN CMS-----"), "{pem}");
    pki.verified("--root root.pem");
    for file in [format!("Signed\n\n{pem}\nand sent\n"), pem.replace('\n', "\r\n"), pem.replace("CMS-", "PKCS7-")] {
        pki.write("p7s", file);
        pki.verified("--root root.pem");
    }
    let certificate = String::from_utf8(pki.read("signer.pem")).unwrap();
    for none in ["", "no signature", &pem[..200], &pem.repeat(2), &certificate] {
        pki.write("p7s", none);
        pki.refused("--root root.pem", 2, "--signature p7s: no CMS signature");
    }
    // What may be good, and is not supported, is not called wrong.
    for (options, why) in [
        ("-econtent_type 1.2.3.4", "the type 1.2.3.4, which is not supported"),
        ("-nocerts", "its signer's certificate is not in it"),
        ("-signer second.pem -inkey second.key", "it has 2 signers"),
    ] {
        pki.issue("second", "root", SIGNER, "");
        pki.sign("signer", &[], options);
        pki.refused("--root root.pem", 2, why);
    }
    // What can be read and is wrong stays a refusal.
    pki.write("p7s", &pem);
    pki.write("content", "other");
    pki.refused("--root root.pem", 1, "the content is not the one");
}

#[test]
fn what_is_revoked_or_not_covered_is_refused() {
    let pki = Pki::new();
    pki.issue("authority", "root", AUTHORITY, "");
    pki.issue("signer", "authority", SIGNER, "-set_serial 0x77");
    pki.sign("signer", &["authority"], "");
    pki.write("ca.conf", "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=9\n");
    let list = |issuer: &str, index: &str, out: &str| {
        pki.write("index", index);
        pki.openssl(&format!("ca -gencrl -config ca.conf -cert {issuer}.pem -keyfile {issuer}.key -out {out}"));
    };
    // Without crl_extensions a list is of version 1.
    list("root", "", "root.crl");
    list("authority", "", "good.crl");
    list("authority", "R\t301231235959Z\t260101000000Z\t77\tunknown\t/CN=signer\n", "bad.crl");
    pki.verified("--root root.pem --crl root.crl good.crl");
    pki.openssl("crl -in good.crl -outform DER -out good.der");
    pki.verified("--root root.pem --crl good.der root.crl");
    pki.refused("--root root.pem --crl root.crl bad.crl", 1, "is revoked");
    pki.refused("--root root.pem --crl root.crl", 1, "no revocation list");
    list("signer", "", "forged.crl");
    pki.refused("--root root.pem --crl root.crl forged.crl", 1, "no revocation list");
    pki.write(
        "ca.conf",
        "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ncrlnumber=number\ndefault_md=sha256\ndefault_crl_days=9\n\
         crl_extensions=e\n[e]\nauthorityKeyIdentifier=keyid\n",
    );
    pki.write("number", "01\n");
    list("authority", "", "good.crl");
    pki.verified("--root root.pem --crl root.crl good.crl");
    pki.write("all.crl", [pki.read("root.crl"), b"\r\n# and\r\n".to_vec(), pki.read("good.crl")].concat());
    pki.verified("--root root.pem --crl all.crl");
}
