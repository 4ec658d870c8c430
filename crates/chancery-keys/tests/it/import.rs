//! Keys that OpenSSL made, in every form in which it writes them.

use chancery_keys::{
    Custodian, ForeignKey, ImportError, Input, KeySpec, MlDsaSet, Pkcs12, RootKey, RsaBatch, RsaSize, Secret,
    SignatureScheme, kind_of_public_key, random, verify,
};
use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::{Base64, Curve, HashType, KeyId};

/// More iterations than any file of these tests has.
const WORK: u32 = 200_000;

struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        Self(temp_dir())
    }

    fn openssl(&self, line: &str) -> Vec<u8> {
        Tool::new("openssl35").args(line.split(' ')).folder(self.0.path()).run().stdout
    }

    fn text(&self, line: &str) -> String {
        String::from_utf8(self.openssl(line)).unwrap()
    }

    /// A new key in `key.pem`, and its public half in DER.
    fn key(&self, algorithm: &str) -> Vec<u8> {
        self.openssl(&format!("genpkey {algorithm} -out key.pem"));
        self.openssl("pkey -in key.pem -pubout -outform DER")
    }

    /// A root with the key in `key.pem`, in `root.pem`.
    fn root(&self) {
        self.openssl("req -x509 -new -key key.pem -subj /CN=Root -days 30 -out root.pem -config /dev/null");
    }
}

const EC: &str = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256";

fn secret(text: &str) -> Secret {
    Secret::from_base64(&Base64::encode(text.as_bytes())).unwrap()
}

fn refusal(text: &str, password: Option<&str>) -> ImportError {
    ForeignKey::open(text, password.map(secret).as_ref(), WORK).err().expect("a refusal")
}

fn pkcs12(file: &[u8], password: &str) -> Result<Pkcs12, ImportError> {
    Pkcs12::open(&Base64::encode(file), &secret(password), WORK)
}

#[test]
fn keys_of_every_kind_are_read_sealed_and_sign() {
    let bench = Bench::new();
    let root_key = RootKey::create_file(&bench.0.path().join("root.key")).unwrap();
    let custodian = Custodian::new(root_key).unwrap();
    for (algorithm, spec) in [
        ("-algorithm RSA -pkeyopt rsa_keygen_bits:2048", KeySpec::Rsa(RsaSize::Bits2048)),
        ("-algorithm RSA -pkeyopt rsa_keygen_bits:3072", KeySpec::Rsa(RsaSize::Bits3072)),
        (EC, KeySpec::Ec(Curve::P256)),
        ("-algorithm EC -pkeyopt ec_paramgen_curve:P-384", KeySpec::Ec(Curve::P384)),
        ("-algorithm EC -pkeyopt ec_paramgen_curve:P-521", KeySpec::Ec(Curve::P521)),
        ("-algorithm ED25519", KeySpec::Ed25519),
        ("-algorithm ML-DSA-44", KeySpec::MlDsa(MlDsaSet::MlDsa44)),
        ("-algorithm ML-DSA-65", KeySpec::MlDsa(MlDsaSet::MlDsa65)),
        ("-algorithm ML-DSA-87", KeySpec::MlDsa(MlDsaSet::MlDsa87)),
    ] {
        let public_key = bench.key(algorithm);
        let pem = std::fs::read_to_string(bench.0.path().join("key.pem")).unwrap();
        let key = ForeignKey::open(&pem, None, WORK).unwrap_or_else(|why| panic!("{algorithm}: {why}"));
        assert_eq!((key.spec(), key.public_key_spki()), (spec, public_key.as_slice()), "{algorithm}");
        let sealed = custodian.seal_foreign_key(KeyId::from_random(random()), key).unwrap().sealed;
        let open = custodian.open_signing_key(&sealed, RsaBatch::Never).unwrap();
        let scheme = SignatureScheme::for_key(spec, HashType::Sha2_512, false).unwrap();
        let signature = open.sign(scheme, Input::Message(b"message")).unwrap();
        verify(&public_key, scheme, Input::Message(b"message"), &signature).unwrap();
        assert_eq!(kind_of_public_key(&public_key), Some(spec));
    }
}

#[test]
fn ml_dsa_needs_its_seed() {
    let bench = Bench::new();
    let public_key = bench.key("-algorithm ML-DSA-44");
    for (format, taken) in [("seed-only", true), ("seed-priv", true), ("priv-only", false)] {
        let pem = bench.text(&format!("pkey -in key.pem -provparam ml-dsa.output_formats={format}"));
        match ForeignKey::open(&pem, None, WORK) {
            Ok(key) => assert!(taken && key.public_key_spki() == public_key, "{format}"),
            Err(why) => assert!(!taken && why == ImportError::Kind, "{format}: {why}"),
        }
    }
}

#[test]
fn every_encryption_of_pbes2_with_aes_is_opened() {
    let bench = Bench::new();
    let public_key = bench.key(EC);
    for cipher in ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"] {
        for prf in ["hmacWithSHA1", "hmacWithSHA256", "hmacWithSHA384", "hmacWithSHA512"] {
            let line = format!("pkcs8 -topk8 -in key.pem -v2 {cipher} -v2prf {prf} -passout pass:böse");
            let key = ForeignKey::open(&bench.text(&line), Some(&secret("böse")), WORK).unwrap();
            assert_eq!(key.public_key_spki(), public_key, "{cipher} {prf}");
        }
    }
    let der = bench.openssl("pkcs8 -topk8 -in key.pem -outform DER -v2 aes-256-cbc -passout pass:p");
    assert!(ForeignKey::open(&Base64::encode(&der), Some(&secret("p")), WORK).is_ok());
}

#[test]
fn what_is_no_key_that_is_taken_says_so() {
    let bench = Bench::new();
    bench.key(EC);
    let plain = bench.text("pkey -in key.pem");
    let encrypted = bench.text("pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -passout pass:right");
    for (text, password, why) in [
        (plain.clone(), Some("p"), ImportError::PasswordNeedless),
        (encrypted.clone(), None, ImportError::PasswordMissing),
        (encrypted.clone(), Some("wrong"), ImportError::WrongPassword),
        (encrypted.clone(), Some(""), ImportError::WrongPassword),
        (bench.text("pkcs8 -topk8 -in key.pem -v2 des3 -passout pass:p"), Some("p"), ImportError::Legacy),
        (bench.text("pkcs8 -topk8 -in key.pem -v1 PBE-SHA1-3DES -passout pass:p"), Some("p"), ImportError::Legacy),
        (bench.text("pkcs8 -topk8 -in key.pem -scrypt -passout pass:p"), Some("p"), ImportError::UnknownEncryption),
        (bench.text("pkey -in key.pem -traditional"), None, ImportError::Traditional),
        (bench.text("pkey -in key.pem -pubout"), None, ImportError::OtherPem),
        (format!("{plain}{plain}"), None, ImportError::OtherPem),
        ("-----BEGIN PRIVATE KEY-----".to_owned(), None, ImportError::NotBase64),
        ("not base64".to_owned(), None, ImportError::NotBase64),
        (String::new(), None, ImportError::Unreadable),
        ("aGVsbG8=".to_owned(), None, ImportError::Unreadable),
        (bench.text("genpkey -algorithm X25519"), None, ImportError::Kind),
        (bench.text("genpkey -algorithm ED448"), None, ImportError::Kind),
        (bench.text("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024"), None, ImportError::Kind),
        (
            bench.text("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_pubexp:3"),
            None,
            ImportError::Kind,
        ),
        (bench.text("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1"), None, ImportError::Kind),
    ] {
        assert_eq!(refusal(&text, password), why, "{text}");
    }
    let dear = bench.text("pkcs8 -topk8 -in key.pem -v2 aes-256-cbc -iter 200001 -passout pass:p");
    assert_eq!(refusal(&dear, Some("p")), ImportError::TooMuchWork);
}

/// As `openssl pkcs12 -nodes`, `openssl pkey -text` and editors write files, and with a certificate beside the key.
#[test]
fn text_and_certificates_around_a_key_are_passed_over() {
    let bench = Bench::new();
    let public_key = bench.key(EC);
    let plain = bench.text("pkey -in key.pem");
    let certificate = bench.text("req -x509 -new -config /dev/null -key key.pem -subj /CN=a");
    for text in [
        format!("Bag Attributes\n    localKeyID: 01 02\nKey Attributes: <No Attributes>\n{plain}"),
        bench.text("pkey -in key.pem -text"),
        format!("\u{feff}{plain}"),
        plain.replace('\n', "  \r\n   "),
        format!("{certificate}{plain}{certificate}"),
    ] {
        let key = ForeignKey::open(&text, None, WORK).unwrap_or_else(|why| panic!("{why}: {text}"));
        assert_eq!(key.public_key_spki(), public_key, "{text}");
    }
}

#[test]
fn pkcs12_files_of_openssl_are_opened() {
    let bench = Bench::new();
    let public_key = bench.key(EC);
    bench.root();
    let root = bench.openssl("x509 -in root.pem -outform DER");
    for options in [
        "",
        " -macalg sha384",
        " -macalg sha512 -iter 1",
        " -certpbe AES-128-CBC -keypbe AES-192-CBC",
        " -certpbe NONE",
        " -keypbe NONE",
        " -pbmac1_pbkdf2",
        " -pbmac1_pbkdf2 -pbmac1_pbkdf2_md sha512 -macalg sha512",
    ] {
        for password in ["", "p", "zwölf Zeichen 𝄞"] {
            let password_argument = format!("pass:{password}");
            let line = format!("pkcs12 -export -inkey key.pem -in root.pem{options} -passout");
            let file = Tool::new("openssl35").args(line.split(' ')).arg(&password_argument).folder(bench.0.path());
            let opened = pkcs12(&file.run().stdout, password);
            let opened = opened.unwrap_or_else(|why| panic!("{options} {password:?}: {why}"));
            assert_eq!(opened.key.public_key_spki(), public_key, "{options}");
            assert_eq!(opened.certificates, std::slice::from_ref(&root), "{options}");
        }
    }
}

#[test]
fn pkcs12_files_that_are_not_taken_say_why() {
    let bench = Bench::new();
    bench.key(EC);
    bench.root();
    let export = "pkcs12 -export -inkey key.pem -in root.pem -passout pass:p";
    for (line, password, why) in [
        (export.to_owned(), "wrong", ImportError::WrongPassword),
        (format!("{export} -nomac"), "p", ImportError::NoMac),
        (format!("{export} -macalg sha1"), "p", ImportError::Legacy),
        (format!("{export} -keypbe PBE-SHA1-3DES"), "p", ImportError::Legacy),
        (format!("{export} -certpbe DES-EDE3-CBC"), "p", ImportError::Legacy),
        (format!("{export} -iter 200001"), "p", ImportError::TooMuchWork),
        ("pkcs12 -export -nokeys -in root.pem -passout pass:p".to_owned(), "p", ImportError::NotOneKey),
        ("x509 -in root.pem -outform DER".to_owned(), "p", ImportError::UnreadablePkcs12),
    ] {
        assert_eq!(pkcs12(&bench.openssl(&line), password).err(), Some(why), "{line}");
    }
    let legacy = Tool::new("openssl").args(format!("{export} -legacy").split(' ')).folder(bench.0.path()).run();
    assert_eq!(pkcs12(&legacy.stdout, "p").err(), Some(ImportError::Legacy));
    assert_eq!(pkcs12(b"", "p").err(), Some(ImportError::UnreadablePkcs12));
}

/// Every byte altered, every length: an error each time, and the same key where nothing that counts was altered.
#[test]
fn altered_and_shortened_files_are_errors() {
    let bench = Bench::new();
    let public_key = bench.key("-algorithm ED25519");
    bench.root();
    let plain = bench.openssl("pkey -in key.pem -outform DER");
    let encrypted = bench.openssl("pkcs8 -topk8 -in key.pem -outform DER -v2 aes-256-cbc -iter 1 -passout pass:p");
    let file = bench.openssl("pkcs12 -export -inkey key.pem -in root.pem -iter 1 -passout pass:p");
    let open_key = |der: &[u8], password: Option<&str>| {
        ForeignKey::open(&Base64::encode(der), password.map(secret).as_ref(), WORK).map(|_| ())
    };
    assert_eq!((open_key(&plain, None), open_key(&encrypted, Some("p"))), (Ok(()), Ok(())));
    for len in 0..plain.len() {
        assert!(open_key(&plain[..len], None).is_err());
    }
    for len in 0..encrypted.len() {
        assert!(open_key(&encrypted[..len], Some("p")).is_err());
    }
    for len in 0..file.len() {
        assert!(pkcs12(&file[..len], "p").is_err());
    }
    let flips = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let flip = |at: usize, bit: u8| {
            let mut altered = bytes.to_vec();
            altered[at] ^= 1 << bit;
            altered
        };
        (0..bytes.len()).flat_map(|at| [0, 3, 7].map(|bit| flip(at, bit))).collect()
    };
    for altered in flips(&plain) {
        let _any = open_key(&altered, None);
    }
    for altered in flips(&encrypted) {
        // CBC has no check of its own: what decrypts to a key is a key, and the certificate tells whether it is the one.
        let _any = open_key(&altered, Some("p"));
    }
    for altered in flips(&file) {
        // Names of algorithms that mean the same, and what stands outside of the MAC.
        if let Ok(opened) = pkcs12(&altered, "p") {
            assert_eq!(opened.key.public_key_spki(), public_key);
        }
    }
}
