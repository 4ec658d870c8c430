use chancery_types::CertKeyUsage;
use der::asn1::ObjectIdentifier;
use x509_cert::TbsCertificate;

use super::*;
use crate::pki::{
    alt_name::AltName,
    cert_profile::{Authority, BUILT_IN, CertProfile},
    certificate::{Draft, Serial, to_be_signed},
    dn::DistinguishedName,
    name_constraints::NameConstraints,
    validity::Validity,
};

const PUBLIC_KEY: &str = "302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";
const OTHER_KEY: &str = "302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e2";
const ED25519: &str = "300506032b6570";

fn profile(name: &str) -> CertProfile {
    CertProfile::clone(BUILT_IN.iter().find(|profile| profile.name == name).unwrap())
}

fn issuer() -> Issuer {
    Issuer {
        name: "CN=issuer".parse::<DistinguishedName>().unwrap().as_name().clone(),
        key_identifier: vec![7; 20],
        validity: Validity::between(0, 100),
        path_len: Some(1),
        is_authority: true,
        name_constraints: Vec::new(),
    }
}

fn bytes(profile: &CertProfile, issuer: Option<&Issuer>) -> Vec<u8> {
    let public_key = hex::decode(PUBLIC_KEY).unwrap();
    let algorithm = spki::AlgorithmIdentifierOwned::from_der(&hex::decode(ED25519).unwrap()).unwrap();
    let alt_names: &[AltName] = match profile.alt_names.presence {
        Presence::Required => &[AltName::Dns("a.example".to_owned())],
        Presence::Optional | Presence::Refused => &[],
    };
    let draft = Draft {
        profile,
        serial: Serial::from_random([0xff; 20]),
        subject: &"CN=a".parse().unwrap(),
        public_key: &public_key,
        validity: Validity::between(10, 20),
        alt_names,
        issuer,
        addresses: None,
        algorithm: &algorithm,
    };
    to_be_signed(&draft).unwrap()
}

/// The name of the rule that breaks when the certificate of the one profile is checked against the other.
fn broken(
    written: &CertProfile,
    checked: &CertProfile,
    from: Option<&Issuer>,
    by: Option<&Issuer>,
) -> Option<&'static str> {
    check(&bytes(written, from), checked, by).unwrap().err().map(|broken| broken.rule)
}

#[test]
fn every_built_in_profile_passes() {
    for profile in BUILT_IN.iter() {
        assert_eq!(broken(profile, profile, None, None), None, "{} by itself", profile.name);
        if profile.authority != Authority::Root {
            let issuer = issuer();
            assert_eq!(broken(profile, profile, Some(&issuer), Some(&issuer)), None, "{} issued", profile.name);
        }
    }
}

#[test]
fn what_the_issuer_does_not_allow_is_refused() {
    let code_signing = profile("Code Signing Certificate");
    let issuing = profile("Issuing Certificate Authority");
    let written = issuer();
    let other_name = "CN=other".parse::<DistinguishedName>().unwrap().as_name().clone();
    for (rule, by) in [
        ("issuer", Issuer { name: other_name, ..issuer() }),
        ("validity", Issuer { validity: Validity::between(0, 19), ..issuer() }),
        ("validity", Issuer { validity: Validity::between(11, 100), ..issuer() }),
        ("authorityKeyIdentifier", Issuer { key_identifier: vec![8; 20], ..issuer() }),
    ] {
        assert_eq!(broken(&code_signing, &code_signing, Some(&written), Some(&by)), Some(rule));
    }
    let last = Issuer { path_len: Some(0), ..issuer() };
    assert_eq!(broken(&issuing, &issuing, Some(&written), Some(&last)), Some("pathLength"));
    let root = profile("Root Certificate Authority");
    assert_eq!(broken(&root, &root, Some(&written), Some(&written)), Some("pathLength"), "no path length at all");
    assert_eq!(broken(&code_signing, &code_signing, None, Some(&written)), Some("issuer"));
    // Permitted are the hosts of b.example, excluded those of a.example; one is for a.example.
    let server = profile("TLS Server");
    for value in ["300fa00d300b8209622e6578616d706c65", "300fa10d300b8209612e6578616d706c65"] {
        let constraints = NameConstraints::read("CN=issuer".to_owned(), &hex::decode(value).unwrap()).unwrap();
        let by = Issuer { name_constraints: vec![constraints], ..issuer() };
        assert_eq!(broken(&server, &server, Some(&written), Some(&by)), Some("nameConstraints"));
    }
}

#[test]
fn what_the_profile_does_not_allow_is_refused() {
    let (root, leaf, stamps) = (profile("Root Certificate Authority"), profile("TLS Client"), profile("Time Stamping"));
    let server = profile("TLS Server");
    let signer = CertProfile { key_usages: vec![CertKeyUsage::KeyCertSign].into(), ..leaf.clone() };
    let idle = CertProfile { key_usages: vec![CertKeyUsage::DigitalSignature].into(), ..root.clone() };
    let stamps_too = CertProfile {
        extended_key_usages: vec![TIME_STAMPING, ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2")].into(),
        ..stamps.clone()
    };
    let no_names = CertProfile { alt_names: root.alt_names.clone(), ..server.clone() };
    let policed = CertProfile { policies: vec![ObjectIdentifier::new_unwrap("1.2.3")], ..leaf.clone() };
    for (rule, written, checked) in [
        ("basicConstraints", &root, &leaf),
        ("basicConstraints", &leaf, &root),
        ("keyUsage", &signer, &leaf),
        ("keyUsage", &idle, &root),
        ("extendedKeyUsage", &leaf, &stamps),
        ("extendedKeyUsage", &stamps_too, &stamps_too),
        ("subjectAltName", &no_names, &server),
        ("subjectAltName", &server, &no_names),
        ("certificatePolicies", &leaf, &policed),
        ("certificatePolicies", &policed, &leaf),
    ] {
        assert_eq!(broken(written, checked, None, None), Some(rule), "{} as {}", written.name, checked.name);
    }
}

#[test]
fn altered_bytes_are_refused() {
    let leaf = profile("TLS Client");
    let whole = hex::encode(bytes(&leaf, None));
    let serial = format!("02147f{}", "ff".repeat(19));
    assert!(whole.contains(&serial));
    for (rule, from, to) in [
        // A leading zero byte leaves a number of 19 bytes.
        ("serialNumber", serial.as_str(), format!("021400{}", "ff".repeat(19))),
        ("subjectKeyIdentifier", PUBLIC_KEY, OTHER_KEY.to_owned()),
        ("extensionsOnce", "0603551d25", "0603551d0f".to_owned()),
        // 1970-01-01 00:00:20Z becomes 00:00:05Z, before the start.
        ("validity", "3730303130313030303032305a", "3730303130313030303030355a".to_owned()),
    ] {
        assert!(whole.contains(from), "{rule}");
        let altered = hex::decode(whole.replace(from, &to)).unwrap();
        let found = check(&altered, &leaf, None).map(|result| result.unwrap_err().rule);
        assert_eq!(found.ok(), Some(rule));
    }
    for weak in WEAK {
        let algorithm = spki::AlgorithmIdentifierOwned { oid: *weak, parameters: None };
        let tbs = TbsCertificate::from_der(&bytes(&leaf, None)).unwrap();
        let draft = Draft {
            profile: &leaf,
            serial: Serial::from_random([1; 20]),
            subject: &DistinguishedName::taken(tbs.subject()).unwrap(),
            public_key: &hex::decode(PUBLIC_KEY).unwrap(),
            validity: Validity::between(10, 20),
            alt_names: &[],
            issuer: None,
            addresses: None,
            algorithm: &algorithm,
        };
        let broken = check(&to_be_signed(&draft).unwrap(), &leaf, None).unwrap().unwrap_err();
        assert_eq!(broken.rule, "signatureAlgorithm", "{weak}");
    }
}
