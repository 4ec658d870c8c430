//! `chancery verify --bundle` where the path of the signer's certificate is a bad one: the signature is good, the log has it
//! with that certificate, and it is refused all the same.

use std::fs;

use chancery_testkit::Tool;
use chancery_types::{LogVisibility, SigningFormat};

use super::{
    site::{Authority, Site, covered, deploy_one, submission},
    verify::Case,
};

/// From before the signature was logged, which is the time as of which its certificate is checked.
const LIFE: &str = "-not_before 20250101000000Z -not_after 20450101000000Z";

const AUTHORITY: &str =
    "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n";

/// OpenSSL's authorities, in the folder of the site.
struct Elsewhere<'c>(&'c Case);

impl Elsewhere<'_> {
    fn openssl(&self, arguments: &str) {
        let _ran = Tool::new("openssl35").args(arguments.split_whitespace()).folder(self.0.site.path("")).run();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.site.path(name)).unwrap()
    }

    fn key(&self, name: &str) {
        self.openssl(&format!("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out {name}.key"));
    }

    fn root(&self, name: &str, subject: &str, extensions: &str) {
        self.openssl(&format!(
            "req -x509 -new -key {name}.key -out {name}.pem {LIFE} -subj {subject} -config /dev/null \
             -addext basicConstraints=critical,CA:true{extensions} -addext keyUsage=critical,keyCertSign,cRLSign \
             -addext subjectKeyIdentifier=hash"
        ));
    }

    /// A certificate of `NAME.key`, as often as one likes.
    fn issue(&self, name: &str, issuer: &str, extensions: &str, more: &str) {
        self.0.write("extensions", extensions);
        self.openssl(&format!(
            "req -new -key {name}.key -out {name}.csr -subj /O=Elsewhere/CN={name} -config /dev/null"
        ));
        self.openssl(&format!(
            "x509 -req -in {name}.csr -CA {issuer}.pem -CAkey {issuer}.key -out {name}.pem {LIFE} -extfile extensions {more}"
        ));
    }

    /// The signer's certificate and those above it, one after the other, as --certificate reads them.
    fn chain(&self, names: &[&str]) {
        let chain: String = names.iter().map(|name| self.read(&format!("{name}.pem"))).collect();
        self.0.write("chain.pem", chain);
    }
}

const RAW: [&str; 8] =
    ["--bundle", "raw.json", "--file", "content", "--root", "root.pem", "--certificate", "chain.pem"];
const CMS: [&str; 6] = ["--bundle", "cms.json", "--file", "content", "--root", "root.pem"];

#[test]
fn a_bundle_whose_certificates_path_breaks_a_rule_is_refused() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let case = Case::new(site);
    let elsewhere = Elsewhere(&case);
    ["root", "authority", "stranger"].into_iter().for_each(|name| elsewhere.key(name));
    elsewhere.root("root", "/O=Elsewhere/CN=root", "");
    elsewhere.issue("authority", "root", AUTHORITY, "");
    let pem = elsewhere.read("authority.pem") + &elsewhere.read("root.pem");
    let authority = Authority::imported(&client, pem, &elsewhere.read("authority.key"));
    case.write("content", "content");
    for (name, format) in [("cms", SigningFormat::Cms), ("raw", SigningFormat::Raw)] {
        let target = deploy_one(&client, name, LogVisibility::Public, authority.signing(name, format));
        let id = client.submit(&submission(target, "content", None, Some(b"content"))).unwrap().uuid;
        case.write_detail(&format!("{name}.json"), &covered(&client, id));
        case.write(&format!("{name}.pem"), client.certificate(target.certificate).unwrap().certificate.unwrap());
    }
    assert!(server.stop().success());
    enclosed(&case, &elsewhere);
    given_beside(&case, &elsewhere);
}

/// What a CMS encloses leads to the root that it was made under, and to no other of that name.
fn enclosed(case: &Case, elsewhere: &Elsewhere<'_>) {
    case.verified(&CMS, &["CN=cms", "verified"]);
    case.refused(&[&CMS[..], &["--purpose", "emailProtection"]].concat(), 1, "not for this purpose");
    case.write("ca.conf", "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=9\n");
    case.write("index", "");
    elsewhere.openssl("ca -gencrl -config ca.conf -cert root.pem -keyfile root.key -out root.crl");
    case.refused(&[&CMS[..], &["--crl", "root.crl"]].concat(), 1, "no revocation list");
    elsewhere.root("stranger", "/O=Elsewhere/CN=root", "");
    let strange = ["--bundle", "cms.json", "--file", "content", "--root", "stranger.pem"];
    case.refused(&strange, 1, "does not lead to the trusted root");
    // The same key and name, with less room below.
    let root = elsewhere.read("root.pem");
    elsewhere.root("root", "/O=Elsewhere/CN=root", ",pathlen:0");
    case.refused(&CMS, 1, "pathLenConstraint");
    case.write("root.pem", root);
    case.verified(&CMS, &["verified"]);
}

/// The signer's certificate is the one that the log names; what stands between it and the root is anybody's.
fn given_beside(case: &Case, elsewhere: &Elsewhere<'_>) {
    let constrained = |names: &str| format!("{AUTHORITY}nameConstraints=critical,{names}\n[other]\nO=Somebody\n");
    for (authority, more, why) in [
        (AUTHORITY, "", None),
        ("basicConstraints=critical,CA:true\nkeyUsage=critical,cRLSign\n", "", Some("keyUsage")),
        ("basicConstraints=critical,CA:false\n", "", Some("no certificate authority")),
        ("keyUsage=critical,keyCertSign\n", "", Some("no certificate authority")),
        (&constrained("permitted;dirName:other"), "", Some("nameConstraints")),
        (&format!("{AUTHORITY}1.2.3.4=critical,ASN1:NULL\n"), "", Some("not known here: 1.2.3.4")),
        (AUTHORITY, "-sha1", Some("broken hash")),
    ] {
        elsewhere.issue("authority", "root", authority, more);
        elsewhere.chain(&["raw", "authority"]);
        match why {
            None => case.verified(&RAW, &["CN=raw", "verified"]),
            Some(why) => case.refused(&RAW, 1, why),
        }
    }
    elsewhere.chain(&["raw"]);
    case.refused(&RAW, 1, "does not lead to the trusted root");
    elsewhere.issue("authority", "stranger", AUTHORITY, "");
    elsewhere.chain(&["raw", "authority"]);
    case.refused(&RAW, 1, "does not lead to the trusted root");
    // Another certificate of the same key, under which all would be well.
    elsewhere.issue("authority", "root", AUTHORITY, "");
    elsewhere.openssl("x509 -in raw.pem -noout -pubkey -out raw.pub");
    elsewhere.key("other");
    let purpose = "keyUsage=critical,digitalSignature\nextendedKeyUsage=codeSigning\n";
    elsewhere.issue("other", "authority", purpose, "-force_pubkey raw.pub");
    elsewhere.chain(&["other", "authority"]);
    case.refused(&RAW, 1, "another certificate");
}
