use chancery_types::{KeyAlgorithm, KeyTypeId, ValidityUnit};

use super::*;
use crate::{Meaning, keys::key_type, pki::cert_profile::BUILT_IN};

fn profile(name: &str) -> Arc<CertProfile> {
    Arc::clone(BUILT_IN.iter().find(|profile| profile.name == name).unwrap())
}

fn of_type(name: &str) -> NewKey {
    let id = key_type::id(key_type::all().find(|spec| key_type::name(*spec) == name).unwrap());
    NewKey { key_type_uuid: Some(id), save: None }
}

struct Request {
    profile: &'static str,
    issuer: Option<CertificateId>,
    subject: Option<&'static str>,
    new_key: NewKey,
    key_params: Option<KeyParams>,
    cert_params: CertParams,
    hardened: bool,
}

fn request() -> Request {
    Request {
        profile: "Code Signing Certificate",
        issuer: None,
        subject: Some("CN=a"),
        new_key: of_type("EC P-256 Signing"),
        key_params: None,
        cert_params: CertParams::default(),
        hardened: false,
    }
}

fn read(request: &Request) -> Result<Order> {
    let wanted = Wanted {
        profile: profile(request.profile),
        issuer: request.issuer,
        subject: request.subject,
        new_key: &request.new_key,
        key_params: request.key_params.as_ref(),
        cert_params: &request.cert_params,
        trust: false,
    };
    Order::read(wanted, request.hardened)
}

fn refusal(request: &Request) -> (Meaning, String) {
    let error = read(request).err().expect("a refusal");
    (error.meaning(), error.field().unwrap_or_default().to_owned())
}

fn params(key_algorithm: KeyAlgorithm, key_size: Option<u32>, curve: Option<Curve>) -> Option<KeyParams> {
    Some(KeyParams { key_algorithm, key_size, curve })
}

#[test]
fn defaults_come_from_the_profile() {
    let order = read(&Request { subject: None, ..request() }).unwrap();
    assert_eq!(order.subject_to_be(), "CN=Code Signing Certificate (and 8 digits of the serial number)");
    assert_eq!(order.warnings(true).len(), 1);
    assert_eq!(order.period, Period::years(3));
    assert!(order.save_key);
    let nowhere = NewKey { save: Some(false), ..of_type("RSA 3072 Signing") };
    let warnings = read(&Request { new_key: nowhere, ..request() }).unwrap().warnings(true);
    assert!(warnings.len() == 1 && warnings[0].starts_with("newKey.save is false"), "{warnings:?}");
}

#[test]
fn the_key_is_named_once_and_signs() {
    let field = "/newKey/keyTypeUuid".to_owned();
    let nothing = NewKey::default();
    assert_eq!(refusal(&Request { new_key: nothing.clone(), ..request() }), (Meaning::Malformed, field.clone()));
    let unknown = NewKey { key_type_uuid: Some(KeyTypeId::from_u128(1)), save: None };
    assert_eq!(refusal(&Request { new_key: unknown, ..request() }), (Meaning::Selection, field.clone()));
    let aes = of_type("AES-256 Tokenization");
    assert_eq!(refusal(&Request { new_key: aes, ..request() }), (Meaning::Value, field));
    let rsa = params(KeyAlgorithm::Rsa, Some(3072), None);
    assert_eq!(
        refusal(&Request { key_params: rsa.clone(), ..request() }),
        (Meaning::Value, "/keyParams".to_owned()),
        "beside a key type"
    );
    let order = read(&Request { new_key: nothing.clone(), key_params: rsa, ..request() }).unwrap();
    assert_eq!(key_type::name(order.spec), "RSA 3072 Signing");
    for unknown in [params(KeyAlgorithm::Rsa, Some(1024), None), params(KeyAlgorithm::Aes, Some(192), None)] {
        let request = Request { new_key: nothing.clone(), key_params: unknown, ..request() };
        assert_eq!(refusal(&request), (Meaning::Selection, "/keyParams".to_owned()));
    }
}

#[test]
fn hardened_mode_begins_at_rsa_3072() {
    let weak = || Request { new_key: of_type("RSA 2048 Signing"), ..request() };
    assert_eq!(read(&weak()).unwrap().warnings(true).len(), 1);
    let hardened = Request { hardened: true, ..weak() };
    assert_eq!(refusal(&hardened), (Meaning::Selection, "/newKey/keyTypeUuid".to_owned()));
    assert!(read(&Request { new_key: of_type("RSA 3072 Signing"), hardened: true, ..request() }).is_ok());
}

#[test]
fn a_root_has_no_issuer() {
    let request =
        Request { profile: "Root Certificate Authority", issuer: Some(CertificateId::from_u128(1)), ..request() };
    assert_eq!(refusal(&request), (Meaning::Value, "/issuerUuid".to_owned()));
}

#[test]
fn subject_and_amount_name_their_members() {
    assert_eq!(
        refusal(&Request { subject: Some("CN=a,C=USA"), ..request() }),
        (Meaning::Value, "/subjectOneline".to_owned())
    );
    for amount in ["0", "-1", "1.5", "", "99999999999999999999"] {
        let period = ValidityPeriod { unit: ValidityUnit::Day, amount: amount.to_owned() };
        let cert_params = CertParams { validity_period: Some(period), ..CertParams::default() };
        assert_eq!(
            refusal(&Request { cert_params, ..request() }),
            (Meaning::Value, "/certParams/validityPeriod/amount".to_owned()),
            "{amount}"
        );
    }
}

#[test]
fn alternative_names_follow_the_profile() {
    let with = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        CertParams { subject_alt_names: Some(names), ..CertParams::default() }
    };
    let server = |subject, names: &[&str]| Request {
        profile: "TLS Server",
        subject: Some(subject),
        cert_params: with(names),
        ..request()
    };
    let field = |suffix: &str| (Meaning::Value, format!("/certParams/subjectAltNames{suffix}"));
    assert_eq!(read(&server("CN=a.example", &[])).unwrap().alt_names, [AltName::Dns("a.example".to_owned())]);
    assert_eq!(read(&server("CN=A server", &["IP:::1"])).unwrap().alt_names.len(), 1);
    assert_eq!(refusal(&server("CN=A server", &[])), field(""));
    assert_eq!(refusal(&server("CN=a", &["DNS:b", "DNS:b c"])), field("/1"));
    let root = Request { profile: "Root Certificate Authority", cert_params: with(&["DNS:a"]), ..request() };
    assert_eq!(refusal(&root), field(""));
    let many: Vec<_> = (0..=ALT_NAMES_MAX).map(|number| format!("a{number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!(read(&server("CN=a", &many[1..])).is_ok());
    assert_eq!(refusal(&server("CN=a", &many)).0, Meaning::TooLarge);
    assert_eq!(refusal(&server("CN=a", &["a.example", "b.example", "A.example"])), field("/2"), "twice");
    let mailbox = read(&server("CN=a,E=ann@a.example", &["a.example"])).unwrap();
    assert_eq!(mailbox.alt_names[1], AltName::Email("ann@a.example".to_owned()));
    assert_eq!(read(&server("CN=a,E=ann@a.example", &["email:ann@A.example"])).unwrap().alt_names.len(), 1);
    assert_eq!(refusal(&server("CN=a,E=ann", &["a.example"])), (Meaning::Value, "/subjectOneline".to_owned()));
}

#[test]
fn certificates_are_never_signed_over_a_weak_hash() {
    for spec in key_type::all().filter(|spec| key_type::purpose(*spec) == Purpose::Sign) {
        assert!(scheme(spec, None).is_ok(), "{}", key_type::name(spec));
        for hash in [HashType::Md5, HashType::RipeMd, HashType::Sha1] {
            let error = scheme(spec, Some(hash)).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Selection, Some("/certParams/hashAlgorithm")));
            assert!(error.message().contains("Sha2_512") && !error.message().contains("Md5,"), "{error}");
        }
    }
    for (spec, hash) in [
        (KeySpec::Rsa(RsaSize::Bits2048), HashType::Sha2_256),
        (KeySpec::Rsa(RsaSize::Bits4096), HashType::Sha2_256),
        (KeySpec::Ec(Curve::P256), HashType::Sha2_256),
        (KeySpec::Ec(Curve::P384), HashType::Sha2_384),
        (KeySpec::Ec(Curve::P521), HashType::Sha2_512),
    ] {
        assert_eq!(scheme(spec, None).unwrap().hash(), hash, "{spec}");
    }
}
