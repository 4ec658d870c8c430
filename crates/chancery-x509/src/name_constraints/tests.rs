//! What the tests against OpenSSL (in chancery-server) cannot show: constraints that it does not write, and the two places
//! where we are stricter.

use der::{Encode, asn1::Ia5String};
use x509_cert::ext::pkix::name::GeneralNames;

use super::*;
use crate::dn::DistinguishedName;

fn hex(form: u8, base: &[u8]) -> Vec<u8> {
    [&[form, u8::try_from(base.len()).unwrap()], base].concat()
}

fn subtrees(tag: u8, bases: &[Vec<u8>]) -> Vec<u8> {
    let subtrees: Vec<u8> = bases.iter().flat_map(|base| hex(0x30, base)).collect();
    if bases.is_empty() { subtrees } else { hex(tag, &subtrees) }
}

fn constraints(permitted: &[Vec<u8>], excluded: &[Vec<u8>]) -> NameConstraints {
    let body = [subtrees(0xa0, permitted), subtrees(0xa1, excluded)].concat();
    NameConstraints::read("CN=above".to_owned(), &hex(0x30, &body)).unwrap()
}

fn dns(text: &str) -> Vec<u8> {
    hex(0x82, text.as_bytes())
}

fn found(constraints: NameConstraints, subject: &str, alt_names: &[&str]) -> Result<(), String> {
    let names: GeneralNames = alt_names
        .iter()
        .map(|name| match name.strip_prefix("RID:") {
            Some(oid) => GeneralName::RegisteredId(oid.parse().unwrap()),
            None => name.parse::<crate::alt_name::AltName>().unwrap().general_name().unwrap(),
        })
        .collect();
    let subject: DistinguishedName = subject.parse().unwrap();
    check(&[constraints], subject.as_name(), &names, false).map_err(|breach| breach.to_string())
}

#[test]
fn a_refusal_names_the_name_the_authority_and_what_is_allowed() {
    let permitted: Vec<_> = ["example.com", ".example.net", "c", "d", "e", "f"].map(dns).into();
    assert_eq!(
        found(constraints(&permitted, &[]), "CN=a", &["DNS:a.example.com", "DNS:example.net"]).unwrap_err(),
        "The certificate would break the rule nameConstraints: DNS:example.net lies outside of what CN=above permits: \
         DNS:example.com, DNS:.example.net, DNS:c, DNS:d, DNS:e, and others."
    );
    let network = hex(0x87, &[10, 0, 0, 0, 255, 0, 0, 0]);
    assert_eq!(
        found(constraints(&[], &[network]), "CN=a", &["IP:10.1.2.3"]).unwrap_err(),
        "The certificate would break the rule nameConstraints: IP:10.1.2.3 lies in what CN=above excludes: \
         IP:10.0.0.0/255.0.0.0."
    );
}

#[test]
fn what_cannot_be_told_is_refused_where_such_a_name_appears_and_only_there() {
    let distant = |base: Vec<u8>, distance: &[u8]| [base, distance.to_vec()].concat();
    let uri = |text: &str| hex(0x86, text.as_bytes());
    for (subtree, name) in [
        (distant(dns("example.com"), &[0x80, 1, 1]), "DNS:a.example.com"),
        (distant(dns("example.com"), &[0x81, 1, 5]), "DNS:a.example.com"),
        (hex(0x87, &[10, 0, 0, 0]), "IP:192.0.2.1"),
        (hex(0x87, &[0; 24]), "IP:192.0.2.1"),
        (hex(0x81, b""), "email:a@example.com"),
        (hex(0x81, b"a@b@"), "email:a@example.com"),
        (hex(0x82, &[0xff]), "DNS:a.example"),
        (uri(""), "URI:https://example.com/"),
        (uri("https://example.com"), "URI:https://example.com/"),
        (hex(0x88, &[0x2a, 3]), "RID:1.2.3"),
    ] {
        for constraints in
            [constraints(std::slice::from_ref(&subtree), &[]), constraints(&[], std::slice::from_ref(&subtree))]
        {
            let refused = found(constraints.clone(), "CN=a", &[name]).unwrap_err();
            assert!(refused.contains("cannot be held against"), "{refused}");
            let other = if name.starts_with("DNS") { "IP:192.0.2.2" } else { "DNS:example.org" };
            assert_eq!(found(constraints, "CN=a", &[other]), Ok(()));
        }
    }
    // A minimum of zero that is written down, against DER, says what its absence says.
    let zero = constraints(&[distant(dns("example.com"), &[0x80, 1, 0])], &[]);
    assert_eq!(found(zero, "CN=a", &["DNS:a.example.com"]), Ok(()));
    // x400Address, which certificates of ours never have.
    assert_eq!(found(constraints(&[hex(0xa3, &[])], &[]), "CN=a", &["DNS:a.example"]), Ok(()));
}

#[test]
fn uris_without_a_host_by_name_are_refused_where_uris_are_constrained() {
    let constraints = constraints(&[], &[hex(0x86, b".example.com")]);
    for uri in [
        "urn:a:b",
        "mailto:a@example.org",
        "https://192.0.2.1/",
        "https://[2001:db8::1]/",
        "https://example.org:x@example.com/",
        "https://a@example.org/",
    ] {
        found(constraints.clone(), "CN=a", &[&format!("URI:{uri}")]).unwrap_err();
    }
    for (uri, permitted) in [
        ("https://example.org:8443/example.com", true),
        ("spiffe://example/a", true),
        ("https://a.example.com?x", false),
        ("https://a.EXAMPLE.com#x", false),
    ] {
        assert_eq!(found(constraints.clone(), "CN=a", &[&format!("URI:{uri}")]).is_ok(), permitted, "{uri}");
    }
}

#[test]
fn a_wildcard_is_excluded_with_any_of_the_hosts_that_it_stands_for() {
    for (excluded, name, expected) in [
        ("host.example.com", "*.example.com", false),
        ("HOST.example.com", "*.EXAMPLE.com", false),
        ("a.host.example.com", "*.example.com", true),
        (".host.example.com", "*.example.com", true),
        ("example.com", "*.example.com", false),
        (".example.com", "*.example.com", false),
        ("example.com", "*.com", false),
    ] {
        let name = Ia5String::new(name).unwrap();
        let subject: DistinguishedName = "CN=a".parse().unwrap();
        let breach =
            check(&[constraints(&[], &[dns(excluded)])], subject.as_name(), &[GeneralName::DnsName(name)], false);
        assert_eq!(breach.is_ok(), expected, "{excluded}: {breach:?}");
    }
}

#[test]
fn directory_names_are_permitted_narrowly_and_excluded_widely() {
    let directory = |line: &str| {
        let name = line.parse::<DistinguishedName>().unwrap().as_name().to_der().unwrap();
        hex(0xa4, &name)
    };
    for (base, subject, permitted, excluded) in [
        ("O=Example,C=US", "CN=a,O=Example,C=US", true, true),
        ("O=Example,C=US", "CN=a,O=  eXample  ,C=us", true, true),
        ("O=Example,C=US", "O=Example,C=US", true, true),
        ("O=Example,C=US", "C=US", false, false),
        ("O=Example,C=US", "CN=a,O=Example", false, false),
        ("O=Example,C=US", "CN=a,O=Example Two,C=US", false, false),
        ("OU=a+O=b", "CN=c,O=b+OU=a", true, true),
        ("OU=a", "O=b+OU=a", false, false),
        ("O=BÜCHER", "CN=a,O=Bücher", false, true),
    ] {
        let within = |constraints| found(constraints, subject, &[]).is_ok();
        assert_eq!(within(constraints(&[directory(base)], &[])), permitted, "{base} and {subject}");
        assert_eq!(!within(constraints(&[], &[directory(base)])), excluded, "{base} and {subject}");
    }
    // BMPString and TeletexString, as authorities of the nineties wrote them: O=Bä.
    for value in [&[0x1e, 4, 0, b'B', 0, 0xe4][..], &[0x14, 2, b'B', 0xe4]] {
        let pair = hex(0x30, &[&[6, 3, 0x55, 4, 10], value].concat());
        let base = hex(0xa4, &hex(0x30, &hex(0x31, &pair)));
        assert_eq!(found(constraints(&[base], &[]), "CN=a,O=Bä", &[]), Ok(()));
    }
}

#[test]
fn the_subjects_mailboxes_and_hosts_are_looked_at_too() {
    let hosts = constraints(&[dns("example.com")], &[]);
    let mailboxes = constraints(&[hex(0x81, b"example.com")], &[]);
    for (constraints, subject, alt_names, expected) in [
        (&hosts, "CN=www.example.com", &[][..], true),
        (&hosts, "CN=www.example.org", &[], false),
        (&hosts, "CN=www.example.org", &["IP:192.0.2.1"], false),
        (&hosts, "CN=www.example.org", &["DNS:example.com"], true),
        (&hosts, "CN=Somebody", &[], true),
        (&hosts, "CN=Dr. No", &[], true),
        (&hosts, "CN=under_score.example.org", &[], false),
        (&mailboxes, "CN=a,E=a@example.com", &[], true),
        (&mailboxes, "CN=a,E=a@example.org", &["email:a@example.com"], false),
        (&mailboxes, "CN=a,E=nobody", &[], false),
    ] {
        assert_eq!(found(constraints.clone(), subject, alt_names).is_ok(), expected, "{subject}");
    }
}

#[test]
fn an_excluded_address_is_not_reached_under_another_name() {
    let v4 = || hex(0x87, &[10, 0, 0, 0, 255, 0, 0, 0]);
    let mapped = || {
        let base: Vec<u8> = [&[0; 10][..], &[0xff, 0xff, 10, 0, 0, 0]].concat();
        hex(0x87, &[&base[..], &[0xff; 13], &[0; 3]].concat())
    };
    for (address, expected) in [
        ("10.1.2.3", false),
        ("::ffff:10.1.2.3", false),
        ("::10.1.2.3", false),
        ("::ffff:0:10.1.2.3", false),
        ("64:ff9b::10.1.2.3", false),
        ("2002:a01:203::1", false),
        ("2001:0:1:2:3:4:f5fe:fdfc", false),
        ("11.1.2.3", true),
        ("::ffff:11.1.2.3", true),
        ("2001:db8::10.1.2.3", true),
        ("::1", true),
    ] {
        let name = [&*format!("IP:{address}")];
        assert_eq!(found(constraints(&[], &[v4()]), "CN=a", &name).is_ok(), expected, "{address}");
        if address.starts_with("10") || address.starts_with("::ffff:10") {
            found(constraints(&[], &[mapped()]), "CN=a", &name).unwrap_err();
        }
        // What is permitted is permitted by its own name only.
        assert_eq!(found(constraints(&[v4()], &[]), "CN=a", &name).is_ok(), address == "10.1.2.3", "{address}");
    }
}

#[test]
fn an_excluded_mailbox_or_host_is_not_reached_in_other_letters() {
    let mailbox = |text: &str| hex(0x81, text.as_bytes());
    for (base, subject) in [
        ("boss@example.com", "CN=a,E=BOSS@example.com"),
        ("boss@example.com", "CN=a,E=Boss@EXAMPLE.com"),
        ("\"boss\"@example.com", "CN=a,E=boss@example.com"),
        ("boss@example.com", "CN=a,E=\\\"boss\\\"@example.com"),
        ("example.com", "CN=a,E=boss@example.com."),
    ] {
        found(constraints(&[], &[mailbox(base)]), subject, &[]).unwrap_err();
    }
    found(constraints(&[mailbox("boss@example.com")], &[]), "CN=a", &["email:BOSS@example.com"]).unwrap_err();
    found(constraints(&[mailbox("boss@example.com")], &[]), "CN=a", &["email:boss@EXAMPLE.com"]).unwrap();
    for base in ["example.com", "example.com.", "EXAMPLE.com"] {
        found(constraints(&[], &[dns(base)]), "CN=a", &["DNS:www.example.com"]).unwrap_err();
        for subject in ["CN=www.example.com.", "CN=*.example.com", "CN=www。example。com", "CN=Bücher.Example.com"] {
            found(constraints(&[], &[dns(base)]), subject, &[]).unwrap_err();
        }
    }
}

#[test]
fn extensions_that_are_none_cannot_be_read() {
    for bytes in [&[][..], &[0x30], &[0x04, 0], &[0x30, 2, 0xa0, 5], &[0x30, 3, 0xa0, 1, 0x30], &[0x30, 2, 0xa2, 0]] {
        assert!(Extension::from_der(bytes).is_err(), "{bytes:02x?}");
    }
}
