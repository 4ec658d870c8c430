//! Files of keys that somebody has pinned.

use chancery_keys::{NoPasskeyKey, WeakKey};

use super::*;

#[test]
fn only_pinned_keys_count() {
    let bundle = Bundle::new();
    let [ann, bob] = &bundle.signers;
    let with = |lines: &str| {
        let keys: ApproverKeys = lines.parse().unwrap();
        bundle.check(&bundle.request, &log_key(), &keys, 2)
    };
    let origin = format!("origin {ORIGIN}\n");
    assert_eq!(with(&format!("{origin}{}", ann.pinned())), Err(NotApproved::Unknown(bob.id)));
    let another = Signer::new(ANN, &["-algorithm", "ED25519"]);
    let swapped = format!("{origin}{}{}", another.pinned(), bob.pinned());
    assert_eq!(with(&swapped), Err(NotApproved::NotGenuine(ann.id, NotGenuine::Signature)));
    // A second passkey of somebody.
    let second = format!("{origin}{}{}{}", another.pinned(), ann.pinned(), bob.pinned());
    assert_eq!(with(&second).map(|all| all.len()), Ok(2));
    let elsewhere = format!("origin https://other.example.org\n{}{}", ann.pinned(), bob.pinned());
    assert_eq!(with(&elsewhere), Err(NotApproved::NotGenuine(ann.id, NotGenuine::Origin)));
}

#[test]
fn a_file_of_keys_says_whose_they_are_and_where() {
    let refused = |text: &str| text.parse::<ApproverKeys>().unwrap_err();
    let signer = Signer::new(1, &["-algorithm", "ED25519"]);
    let (key, line) = (Base64::encode(&signer.public_key), signer.pinned());
    assert_eq!(refused(""), NoApproverKeys::Origin);
    assert_eq!(refused(&line), NoApproverKeys::Origin);
    assert_eq!(refused("origin https://a.example"), NoApproverKeys::Empty);
    assert_eq!(refused("origin https://a.example\norigin https://b.example\n"), NoApproverKeys::Origin);
    for bad in [
        "origin http://a.example",
        "origin https://192.0.2.1",
        "origin",
        "approver x AAAA",
        "approver",
        "key",
        "origin https://a.example more",
    ] {
        assert_eq!(refused(&format!("# first\n{bad}")), NoApproverKeys::Line(2), "{bad}");
    }
    assert_eq!(refused(&format!("origin https://a.example\n{}", line.replace(&key, "*"))), NoApproverKeys::Line(2));
    assert!(format!("origin https://a.example\r\n{}\r\n", line.trim_end()).parse::<ApproverKeys>().is_ok());
}

#[test]
fn keys_that_would_count_for_others_are_refused_by_line() {
    let origin = format!("origin {ORIGIN}\n");
    let refused = |lines: &str| format!("{origin}{lines}").parse::<ApproverKeys>().unwrap_err();
    let ann = Signer::new(ANN, &["-algorithm", "ED25519"]);
    let (key, bob) = (Base64::encode(&ann.public_key), IdentityId::from_u128(BOB));
    // One device does not approve for two.
    let shared = refused(&format!("{}# bob\napprover {bob} {key}\n", ann.pinned()));
    assert_eq!(shared, NoApproverKeys::Shared { line: 4, first: 2 });
    assert!(shared.to_string().contains("line 4"), "{shared}");
    let again = format!("{origin}{}{}", ann.pinned(), ann.pinned());
    assert!(again.parse::<ApproverKeys>().is_ok(), "the same person's, twice");
    // The point of order 1, with which everybody signs.
    let spki = [&ann.public_key[..12], &[1], &[0; 31]].concat();
    let anyones = refused(&format!("{}approver {bob} {}\n", ann.pinned(), Base64::encode(&spki)));
    assert_eq!(anyones, NoApproverKeys::Key(3, NoPasskeyKey::Weak(WeakKey::SmallOrder)));
    assert_eq!(refused(&format!("approver {bob} AAAA")), NoApproverKeys::Key(2, NoPasskeyKey::Kind));
}
