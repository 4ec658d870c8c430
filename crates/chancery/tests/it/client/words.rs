//! What commands say: flags where flags were typed, each warning once, the names that there are, and which of several
//! certificates of one name is meant.

use serde_json::Value;

use super::place::Place;

const SERVICE: &str = "chancery service create --name scripts --issuer 'Chancery Demo Root' --subject CN=Scripts \
    --key-type 'EC P-256 Signing' --hash Sha2_256 --num-approvals 0";
const ISSUING: &str = "chancery ca create --profile 'Issuing Certificate Authority' --issuer 'Chancery Demo Root' \
    --key-type 'EC P-256 Signing'";
const LEAF: &str = "chancery cert create --profile 'TLS Server' --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' \
    --subject CN=www.example.org --san DNS:www.example.org";

#[test]
fn commands_say_what_was_typed_and_what_there_is() {
    let place = Place::logged_in();
    flags(&place);
    warnings(&place);
    templates(&place);
    lists_of_one_authority_or_several(&place);
    renewed(&place);
}

fn flags(place: &Place) {
    let root = "'Chancery Demo Root'";
    let request =
        "chancery cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' --key-out a.key --out a.pem";
    place.write("file.tar", "a file");
    place.write("roles.json", r#"{"perms": 7}"#);
    for (line, says) in [
        (
            format!("{SERVICE} --validity 1y --format Zip"),
            "--format (/pkisigning/signingFormat): Must be one of Raw, CMS",
        ),
        (
            format!("{SERVICE} --validity 90y --format CMS"),
            "--validity (/pkisigning/newCert/certParams/validityPeriod): ",
        ),
        (
            "chancery service create --name x --format CMS".to_owned(),
            "--issuer, --subject, --key-type, --validity (/pkisigning/newCert): These flags are missing.",
        ),
        (format!("chancery cert revoke {root} --yes"), "--reason (/reason): This flag is missing."),
        (format!("chancery cert revoke {root} --yes --reason lost"), "--reason (/reason): Must be one of unspecified"),
        ("chancery role create --name x".to_owned(), "--logins-required (/loginsRequired): This flag is missing."),
        (
            "chancery role create --name x --logins-required 1 --file roles.json".to_owned(),
            "--perm (/perms): Must be an array",
        ),
        ("chancery cert create --subject CN=x".to_owned(), "--profile (/certProfileUuid): This flag is missing."),
        ("chancery ca import-key".to_owned(), "A private key is expected: --private-key, or --p12 with its password."),
        (format!("{request} --subject nonsense"), "--subject (/subjectOneline): "),
        (format!("{request} --subject CN=x --validity 90y"), "--validity (/certParams/validityPeriod"),
        (format!("chancery ca crl --issuer {root} --format pkcs7"), "--format (/format): "),
        ("chancery audit list --outcome Nonsense".to_owned(), "--outcome (/outcome): "),
        (
            "chancery rule create 'demo cards' --role Auditor --operation Steal".to_owned(),
            "--operation (/controlRules/",
        ),
        (
            "chancery sign file.tar --service 'demo signing' --note \"$(printf 'a\\342\\200\\256b')\"".to_owned(),
            "--note (/note): ",
        ),
    ] {
        let said = place.sh(&line);
        assert!(matches!(said.code, Some(2 | 5)) && said.err.contains(says), "{line}: {said:?}");
    }
}

fn warnings(place: &Place) {
    let said = place.sh(&format!("{SERVICE} --validity 1y --format Powershell"));
    assert_eq!(
        (said.err.matches("No publicUrl").count(), said.out.matches("No publicUrl").count()),
        (1, 0),
        "{said:?}"
    );
    assert!(said.out.contains("serviceUuid "), "{said:?}");
    // What a program reads is the server's own answer.
    let line = SERVICE.replace("scripts", "others");
    let said = place.sh(&format!("{line} --validity 1y --format Powershell --output json"));
    let body: Value = serde_json::from_str(&said.out).unwrap();
    assert!(body["response"]["warnings"][0].as_str().unwrap().contains("publicUrl"), "{said:?}");
    let said = place.sh(&format!("{LEAF} && chancery cert renew www.example.org"));
    assert_eq!((said.code, said.out.matches("No publicUrl").count()), (Some(0), 0), "{said:?}");
}

fn templates(place: &Place) {
    let names = place.sh("chancery profile template").done();
    let known = place.json("chancery profile templates");
    let known: Vec<_> = known["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names.lines().collect::<Vec<_>>(), known);
    assert_eq!(place.json("chancery profile template")["names"].as_array().unwrap().len(), known.len());
    let other = place.sh("chancery profile template 'card numbers'").failed(2);
    assert!(other.contains("card numbers: there is no such template"), "{other}");
    // However the terminal breaks its lines.
    let help = place.sh("chancery profile template --help").done();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in known {
        assert!(other.contains(&format!("\n      {name}\n")) && help.contains(name), "{name}: {other} {help}");
    }
}

fn lists_of_one_authority_or_several(place: &Place) {
    place.sh("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout o.key -out o.pem -days 3 -subj /CN=Other").done();
    // It counts as an issuer, and its key is not here.
    place.sh("chancery ca import --certificates o.pem --trust true").done();
    place.sh("chancery ca crl --out only.crl").done();
    place.sh("chancery ca crl --issuer 'Chancery Demo Root' --out named.crl").done();
    let issuer = |file: &str| place.sh(&format!("openssl crl -noout -issuer -in {file}")).done();
    assert!(issuer("only.crl").contains("Chancery Demo Root") && issuer("only.crl") == issuer("named.crl"));
    place.sh("chancery ca crl --format der --out only.der && openssl crl -inform DER -noout -in only.der").done();

    place.sh(&format!("{ISSUING} --subject 'CN=Issuing 1'")).done();
    let which = place.sh("chancery ca crl --out which.crl").failed(2);
    assert!(which.contains("--issuer NAME is needed: there are 2 authorities"), "{which}");
    assert!(which.contains("  CN=Issuing 1  Valid until ") && which.contains("  CN=Chancery Demo Root,O="), "{which}");
    assert!(!which.contains("CN=Other") && !place.path("which.crl").exists(), "{which}");
}

/// `warnings` has renewed it once.
fn renewed(place: &Place) {
    let serial = |line: &str| place.json(line)["serialNumber"].as_str().unwrap().to_owned();
    let all = place.json("chancery cert list --search www.example.org");
    let all: Vec<_> = all["results"].as_array().unwrap().iter().collect();
    assert_eq!(all.len(), 2);
    let uuid = |item: &Value| item["objInfo"]["uuid"].as_str().unwrap().to_owned();
    // Ids are in the order in which they were made.
    let (old, new) = match all.as_slice() {
        [one, other] if uuid(one) < uuid(other) => (one, other),
        [one, other] => (other, one),
        _ => unreachable!(),
    };
    assert_eq!(serial("chancery cert show www.example.org"), new["serialNumber"].as_str().unwrap());
    place.sh("chancery cert download www.example.org --out www.pem").done();
    let downloaded = place.sh("openssl x509 -in www.pem -noout -serial").done();
    assert_eq!(downloaded.trim(), format!("serial={}", new["serialNumber"].as_str().unwrap()));
    // To revoke one says which.
    let which = place.sh("chancery cert revoke www.example.org --reason superseded --yes").failed(2);
    assert!(which.contains("there are 2 of this name"), "{which}");
    assert!(which.contains(&uuid(old)) && which.contains("  Valid until "), "{which}");
    place.sh(&format!("chancery cert revoke {} --reason superseded --yes", uuid(new))).done();
    assert_eq!(
        serial("chancery cert show www.example.org"),
        old["serialNumber"].as_str().unwrap(),
        "the one that is left"
    );
    place.sh("chancery cert revoke www.example.org --reason certificateHold").done();
    let none = place.sh("chancery cert show www.example.org").failed(2);
    assert!(none.contains("  Held until ") && none.contains("  Revoked until "), "{none}");
    place.sh("chancery cert release www.example.org").done();
    // Another subject with the same name is somebody else.
    place.sh(&LEAF.replace("CN=www.example.org", "CN=www.example.org,O=Other")).done();
    let two = place.sh("chancery cert show www.example.org").failed(2);
    assert!(two.contains("CN=www.example.org,O=Other"), "{two}");
}
