//! Bearer tokens: signed, verified, and refused for every other reason.

use chancery_keys::{BearerError, BearerKey, KeySpec, Purpose, bearer};
use serde_json::{Value, json};

use crate::custody::{custodian, key_ref};

fn key() -> BearerKey {
    let custodian = custodian();
    let new = custodian.generate(key_ref(Purpose::Bearer, KeySpec::Hmac256)).unwrap();
    custodian.open_bearer_key(&new.sealed).unwrap()
}

fn verify(token: &str, keys: &[&BearerKey]) -> Result<Value, BearerError> {
    bearer::verify(token, keys.iter().copied())
}

fn base64url(value: &Value) -> String {
    chancery_types::Base64::encode(value.to_string().as_bytes()).replace('+', "-").replace('/', "_").replace('=', "")
}

fn header(token: &str) -> Value {
    let part = token.split('.').next().unwrap().replace('-', "+").replace('_', "/");
    serde_json::from_slice(&chancery_types::Base64::decode(&part).unwrap().0).unwrap()
}

#[test]
fn what_one_of_the_keys_signed_is_accepted() {
    let (old, new) = (key(), key());
    let claims = json!({"sub": "someone", "exp": 1});
    for key in [&old, &new] {
        let token = key.sign(&claims).unwrap();
        assert_eq!(verify(&token, &[&old, &new]), Ok(claims.clone()));
        let kid = format!("{}.{}", key.key().id, key.key().version);
        assert_eq!(header(&token), json!({"typ": "JWT", "alg": "HS256", "kid": kid}));
    }
}

#[test]
fn an_unknown_key_is_refused() {
    let token = key().sign(&json!({})).unwrap();
    assert_eq!(verify(&token, &[&key()]), Err(BearerError::UnknownKey));
    assert_eq!(verify(&token, &[]), Err(BearerError::UnknownKey));
}

#[test]
fn other_headers_are_refused() {
    let key = key();
    let token = key.sign(&json!({"sub": "someone"})).unwrap();
    let (_, rest) = token.split_once('.').unwrap();
    let with = |member: &str, value: Value| {
        let mut header = header(&token);
        header[member] = value;
        verify(&format!("{}.{rest}", base64url(&header)), &[&key])
    };
    assert_eq!(with("alg", json!("none")), Err(BearerError::Malformed));
    for alg in ["HS384", "HS512", "RS256", "ES256", "EdDSA"] {
        assert_eq!(with("alg", json!(alg)), Err(BearerError::Algorithm), "{alg}");
    }
    assert_eq!(with("typ", json!("at+jwt")), Err(BearerError::Algorithm));
    assert_eq!(with("kid", Value::Null), Err(BearerError::UnknownKey));
    assert_eq!(with("kid", json!("other")), Err(BearerError::UnknownKey));
    // A header that says the same in other bytes was not signed.
    assert_eq!(with("cty", json!("JWT")), Err(BearerError::Signature));
}

#[test]
fn any_changed_character_is_refused() {
    let key = key();
    let token = key.sign(&json!({"sub": "someone", "exp": 2_000_000_000})).unwrap();
    for (position, character) in token.char_indices() {
        for other in ['A', '.', '_', '='] {
            if other == character {
                continue;
            }
            let mut changed = token.clone();
            changed.replace_range(position..position + 1, &other.to_string());
            assert!(verify(&changed, &[&key]).is_err(), "{other} at {position} of {token}");
        }
    }
    for cut in 0..token.len() {
        assert!(verify(&token[..cut], &[&key]).is_err(), "{cut} characters of {token}");
    }
}

#[test]
fn claims_edited_under_an_old_signature_are_refused() {
    let key = key();
    let token = key.sign(&json!({"sub": "someone"})).unwrap();
    let mut parts = token.split('.');
    let (header, _, signature) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let edited = format!("{header}.{}.{signature}", base64url(&json!({"sub": "another"})));
    assert_eq!(verify(&edited, &[&key]), Err(BearerError::Signature));
    assert_eq!(verify(&format!("{header}..{signature}"), &[&key]), Err(BearerError::Signature));
    assert_eq!(verify(&format!("{token}."), &[&key]), Err(BearerError::Malformed));
    assert_eq!(verify("", &[&key]), Err(BearerError::Malformed));
}

#[test]
fn claims_of_another_form_are_refused() {
    let key = key();
    let token = key.sign(&json!({"sub": 7})).unwrap();
    let claims = bearer::verify::<std::collections::BTreeMap<String, String>>(&token, [&key]);
    assert_eq!(claims, Err(BearerError::Claims));
}
