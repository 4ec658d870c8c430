use proptest::prelude::*;

use super::*;

fn read(line: &str) -> Result<String, DnError> {
    line.parse::<DistinguishedName>().map(|name| name.to_string())
}

#[test]
fn both_forms_make_the_same_name() {
    let comma: DistinguishedName = "CN=Example Root, O=Example\\, Inc., ST=New York,C=US".parse().unwrap();
    let slash: DistinguishedName = "/C=US/ST=New York/O=Example, Inc./CN=Example Root".parse().unwrap();
    assert_eq!(comma, slash);
    assert_eq!(comma.to_string(), "CN=Example Root,O=Example\\, Inc.,ST=New York,C=US");
    assert_eq!(comma.common_name().as_deref(), Some("Example Root"));
}

#[test]
fn the_most_general_part_comes_first_in_the_certificate() {
    let name: DistinguishedName = "CN=a,C=US".parse().unwrap();
    // SEQUENCE { SET { SEQUENCE { countryName, PrintableString US } }, SET { SEQUENCE { commonName, UTF8String a } } }
    assert_eq!(hex::encode(name.as_name().to_der().unwrap()), "3019310b3009060355040613025553310a300806035504030c0161");
}

#[test]
fn lines_are_read_and_printed() {
    for (line, printed) in [
        ("CN=a", "CN=a"),
        ("  cn = a , o = b ", "CN=a,O=b"),
        ("CN=\"Acme, Inc. + \\\"Co\\\"\" ,C=DE", "CN=Acme\\, Inc. \\+ \\\"Co\\\",C=DE"),
        ("CN=Steve Kille\\2CJr", "CN=Steve Kille\\,Jr"),
        ("CN=Lu\\C4\\8Di\\C4\\87", "CN=Lučić"),
        ("CN=证书,O=Ünïcode", "CN=证书,O=Ünïcode"),
        ("OU=Sales+CN=J. Smith,DC=example,DC=net", "OU=Sales+CN=J. Smith,DC=example,DC=net"),
        ("E=pki@example.com,CN=x", "emailAddress=pki@example.com,CN=x"),
        ("emailAddress=pki@example.com", "emailAddress=pki@example.com"),
        ("CN=\\ padded\\ ", "CN=\\ padded\\ "),
        ("CN=\\#1", "CN=\\#1"),
        ("CN=a=b", "CN=a=b"),
        ("CN=#0c0161", "CN=a"),
        ("CN=#130161 ,O=b", "CN=a,O=b"),
        ("2.5.4.3=a", "CN=a"),
        ("OID.2.5.4.3=a", "CN=a"),
        ("1.2.3.4=a", "1.2.3.4=#0c0161"),
        ("1.2.3.4=#130161", "1.2.3.4=#130161"),
        ("1.2.3.4=#1e0400e40062", "1.2.3.4=#0c03c3a462"),
        ("CN=#1e0400e40062", "CN=äb"),
        ("CN=#1402e462", "CN=äb"),
        ("O=#12023132", "O=12"),
        ("/CN=a\\/b", "CN=a/b"),
        ("/CN=a;<b>\"c\"", "CN=a\\;\\<b\\>\\\"c\\\""),
        ("/C=US/CN=a+OU=b", "CN=a+OU=b,C=US"),
        ("serialNumber=12-3,CN=a", "serialNumber=12-3,CN=a"),
    ] {
        assert_eq!(read(line).as_deref(), Ok(printed), "{line}");
        assert_eq!(read(printed).as_deref(), Ok(printed), "{printed} read back");
    }
}

#[test]
fn lines_are_refused_for_their_reason() {
    let name = str::to_owned;
    for (line, reason) in [
        ("", DnError::Empty),
        ("   ", DnError::Empty),
        ("/", DnError::Empty),
        ("CN=", DnError::EmptyValue(name("CN"))),
        ("CN=  ,O=a", DnError::EmptyValue(name("CN"))),
        ("CN=\\ ", DnError::EmptyValue(name("CN"))),
        ("CN=\"\"", DnError::EmptyValue(name("CN"))),
        ("CN=#0c00", DnError::EmptyValue(name("CN"))),
        ("1.2.3.4=#0500", DnError::EmptyValue(name("1.2.3.4"))),
        ("/C=US/CN=", DnError::EmptyValue(name("CN"))),
        ("CN=a,", DnError::NoEquals(name(""))),
        ("CN=a,,O=b", DnError::NoEquals(name(""))),
        ("/CN=a/", DnError::NoEquals(name(""))),
        ("Example", DnError::NoEquals(name("Example"))),
        ("/CN=a/b", DnError::NoEquals(name("b"))),
        ("CN=Acme, Inc.", DnError::NoEquals(name("Inc."))),
        ("XX=a", DnError::UnknownAttribute(name("XX"))),
        ("=a", DnError::UnknownAttribute(name(""))),
        ("9.9.9=a", DnError::UnknownAttribute(name("9.9.9"))),
        ("CN=a,C=USA", DnError::Country),
        ("CN=a,C=U", DnError::Country),
        ("CN=a,C=U1", DnError::Country),
        ("CN=a,C=#0c03555341", DnError::Country),
        ("CN=a\\00b", DnError::Hidden(name("CN"))),
        ("CN=a\nb", DnError::Hidden(name("CN"))),
        ("CN=Admin\u{200b}", DnError::Hidden(name("CN"))),
        ("O=\u{202e}", DnError::Hidden(name("O"))),
        ("CN=a\\q", DnError::Escape),
        ("CN=a\\", DnError::Escape),
        ("CN=a\\C4", DnError::NotText(name("CN"))),
        ("CN=#020105", DnError::NotText(name("CN"))),
        ("1.2.3.4=#020105", DnError::NotText(name("1.2.3.4"))),
        ("CN=#0c02ff61", DnError::NotText(name("CN"))),
        ("CN=#1e0300e400", DnError::NotText(name("CN"))),
        ("CN=#1e02d800", DnError::NotText(name("CN"))),
        ("CN=#14041b284261", DnError::Hidden(name("CN"))),
        ("CN=#1e0400000061", DnError::Hidden(name("CN"))),
        ("CN=a;O=b", DnError::Unescaped(';')),
        ("CN=a<b", DnError::Unescaped('<')),
        ("CN=\"a", DnError::Quote),
        ("CN=\"a\"b", DnError::Quote),
        ("CN=#", DnError::Hex),
        ("CN=#0c01", DnError::Hex),
        ("CN=#0c016162", DnError::Hex),
        ("CN=#zz", DnError::Hex),
        ("CN=a+CN=b", DnError::Twice(name("CN"))),
        ("serialNumber=a_b", DnError::NotPrintable(name("serialNumber"))),
        ("emailAddress=ä@example.com", DnError::NotAscii(name("emailAddress"))),
    ] {
        assert_eq!(read(line), Err(reason), "{line}");
    }
}

#[test]
fn upper_bounds_count_characters() {
    for (attribute, max) in [("CN", 64), ("O", 64), ("OU", 64), ("L", 128), ("ST", 128)] {
        assert!(read(&format!("{attribute}={}", "ü".repeat(max))).is_ok(), "{attribute} at its bound");
        let reason = DnError::ValueTooLong { attribute: attribute.to_owned(), max };
        assert_eq!(read(&format!("{attribute}={}", "ü".repeat(max + 1))), Err(reason));
    }
    assert_eq!(read(&format!("CN={}", " ".repeat(ONE_LINE_MAX))), Err(DnError::TooLong));
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_the_same(values in prop::collection::vec("\\P{Cc}{1,40}", 1..6)) {
        let seen = |value: &String| value.chars().filter(|character| !chancery_types::hides(*character)).collect();
        let values: Vec<String> = values.iter().map(seen).collect();
        let line: Vec<_> = values
            .iter()
            .filter(|value| !value.trim().is_empty())
            .map(|value| format!("OU=#0c{:02x}{}", value.len(), hex::encode(value)))
            .collect();
        prop_assume!(!line.is_empty() && values.iter().all(|value| value.len() < 128));
        let name: DistinguishedName = line.join(",").parse().unwrap();
        prop_assert_eq!(&name.to_string().parse::<DistinguishedName>().unwrap(), &name);
    }

    #[test]
    fn no_line_panics(line in "[CNO=,+/\\\\\"# ;0-9a-fä]{0,40}") {
        let _ = line.parse::<DistinguishedName>();
    }
}

#[test]
fn a_name_from_outside_has_no_empty_part() {
    // SEQUENCE { SET {} }, and the same behind CN=a.
    for der in ["30023100", "300e310c300a06035504030c03616263", "3010310c300a06035504030c036162633100"] {
        let name = Name::from_der(&hex::decode(der).unwrap()).unwrap();
        let taken = DistinguishedName::taken(&name).map(|name| name.to_string());
        let expected = if der.contains("3100") { Err(DnError::EmptyPart) } else { Ok("CN=abc".to_owned()) };
        assert_eq!(taken, expected, "{der}");
    }
}

#[test]
fn a_name_has_no_attribute_that_programs_cannot_read() {
    assert_eq!(read("1.2.268435455=a").as_deref(), Ok("1.2.268435455=#0c0161"));
    let refused = DnError::LargeArc("1.2.268435456".to_owned());
    assert_eq!(read("CN=a,1.2.268435456=b"), Err(refused.clone()));
    // SEQUENCE { SET { SEQUENCE { 1.2.268435456, UTF8String b } } }, as requests and certificates from elsewhere have it.
    let name = Name::from_der(&hex::decode("300f310d300b06062a81808080000c0162").unwrap()).unwrap();
    assert_eq!(DistinguishedName::taken(&name).map(|name| name.to_string()), Err(refused));
}
