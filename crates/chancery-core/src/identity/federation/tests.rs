//! What tokens say, and whom bindings take.

use serde_json::{Value, json};

use super::{
    claims::{GoodToken, TokenRefusal},
    stored::BindingContent,
};

const ISSUER: &str = "https://gitlab.example.org";
const NOW_S: i64 = 1_767_225_600;

/// A good token with some claims changed; those that are null are left out.
fn token(changes: &Value) -> Result<GoodToken, TokenRefusal> {
    let mut claims = json!({"iss": ISSUER, "aud": "us", "sub": "job", "iat": NOW_S, "nbf": NOW_S, "exp": NOW_S + 300});
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    let claims = claims.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null()).collect();
    let audiences = ["us".to_owned(), "https://kms.example.org".to_owned()];
    GoodToken::of(claims, ISSUER, &audiences, NOW_S * 1_000)
}

fn why(changes: &Value) -> Option<TokenRefusal> {
    token(changes).err()
}

#[test]
fn issuer_and_audience_are_exact() {
    for audience in [json!("us"), json!(["others", "https://kms.example.org"])] {
        assert_eq!(why(&json!({"aud": audience})), None, "{audience}");
    }
    for audience in
        [json!(null), json!([]), json!("US"), json!("us "), json!(["others"]), json!({"us": "us"}), json!(7)]
    {
        assert_eq!(why(&json!({"aud": audience})), Some(TokenRefusal::Audience), "{audience}");
    }
    for issuer in
        [json!(null), json!("https://gitlab.example.org/"), json!("https://GitLab.example.org"), json!([ISSUER])]
    {
        assert_eq!(why(&json!({"iss": issuer})), Some(TokenRefusal::Issuer), "{issuer}");
    }
}

#[test]
fn times_have_a_minute_and_an_end_within_a_day() {
    for (changes, expected) in [
        (json!({"exp": NOW_S - 59}), None),
        (json!({"exp": NOW_S - 60}), Some(TokenRefusal::Expired)),
        (json!({"exp": NOW_S as f64 + 0.5}), None),
        (json!({"exp": -1e300}), Some(TokenRefusal::Expired)),
        (json!({"exp": 1e300}), Some(TokenRefusal::Lifetime)),
        (json!({"exp": u64::MAX}), Some(TokenRefusal::Lifetime)),
        (json!({"exp": NOW_S + 86_400}), None),
        (json!({"exp": NOW_S + 86_400 + 61}), Some(TokenRefusal::Lifetime)),
        (json!({"exp": null}), Some(TokenRefusal::Claims)),
        (json!({"exp": "later"}), Some(TokenRefusal::Claims)),
        (json!({"nbf": NOW_S + 60}), None),
        (json!({"nbf": NOW_S + 61}), Some(TokenRefusal::NotYet)),
        (json!({"iat": NOW_S + 61}), Some(TokenRefusal::NotYet)),
        (json!({"iat": null, "nbf": null}), None),
        (json!({"iat": true}), Some(TokenRefusal::Claims)),
        (json!({"sub": null}), Some(TokenRefusal::Claims)),
        (json!({"sub": ""}), Some(TokenRefusal::Claims)),
        (json!({"sub": 7}), Some(TokenRefusal::Claims)),
        (json!({"sub": "x".repeat(1_025)}), Some(TokenRefusal::Claims)),
        (json!({"jti": 7}), Some(TokenRefusal::Claims)),
    ] {
        assert_eq!(why(&changes), expected, "{changes}");
    }
}

#[test]
fn a_binding_takes_what_it_asks_for_letter_by_letter() {
    let says = json!({"project_id": 74, "protected": true, "ref": "main", "groups": ["a"],
        "kubernetes.io": {"serviceaccount": {"uid": "5b4f", "a/b~c": "x"}}});
    let good = token(&says).unwrap();
    let takes = |subject: Option<&str>, claims: &[(&str, &str)]| {
        let claims = claims.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        BindingContent { subject: subject.map(str::to_owned), claims }.takes(&good)
    };
    assert!(takes(Some("job"), &[]) && takes(None, &[("project_id", "74"), ("ref", "main"), ("protected", "true")]));
    assert!(takes(None, &[("/kubernetes.io/serviceaccount/uid", "5b4f"), ("/project_id", "74")]));
    assert!(takes(None, &[("/kubernetes.io/serviceaccount/a~1b~0c", "x")]));
    for (name, value) in [
        ("project_id", "7"),
        ("ref", "Main"),
        ("ref", "mai*"),
        ("groups", "a"),
        ("groups", r#"["a"]"#),
        ("/groups/0", "a"),
        ("kubernetes.io", "{}"),
        ("/kubernetes.io/serviceaccount", "5b4f"),
        ("/", ""),
        ("absent", "null"),
    ] {
        assert!(!takes(Some("job"), &[(name, value)]), "{name} = {value}");
    }
    assert!(!takes(Some("Job"), &[]) && !takes(Some("jo"), &[]));
}

#[test]
fn an_id_token_answers_one_request_of_one_client() {
    let why = |changes: &Value| {
        let mut says = json!({"nonce": "n1"});
        for (name, value) in changes.as_object().unwrap() {
            says[name] = value.clone();
        }
        token(&says).unwrap().expect_answer("us", "n1").err()
    };
    for (changes, expected) in [
        (json!({}), None),
        (json!({"azp": "us"}), None),
        (json!({"azp": "others"}), Some(TokenRefusal::Audience)),
        (json!({"azp": ["us"]}), Some(TokenRefusal::Audience)),
        (json!({"aud": ["us"]}), None),
        (json!({"aud": ["us", "others"]}), Some(TokenRefusal::Audience)),
        (json!({"aud": ["us", "others"], "azp": "us"}), None),
        (json!({"aud": ["us", "others"], "azp": "others"}), Some(TokenRefusal::Audience)),
        (json!({"nonce": "n2"}), Some(TokenRefusal::Nonce)),
        (json!({"nonce": ""}), Some(TokenRefusal::Nonce)),
        (json!({"nonce": null}), Some(TokenRefusal::Nonce)),
        (json!({"nonce": ["n1"]}), Some(TokenRefusal::Nonce)),
        (json!({"iat": null}), Some(TokenRefusal::Claims)),
    ] {
        assert_eq!(why(&changes), expected, "{changes}");
    }
}

#[test]
fn a_second_factor_is_one_that_was_named() {
    let named = ["gold".to_owned(), "urn:mfa".to_owned()];
    for (acr, expected) in [
        (json!("gold"), true),
        (json!("urn:mfa"), true),
        (json!("Gold"), false),
        (json!("gold urn:mfa"), false),
        (json!(["gold"]), false),
        (json!(null), false),
    ] {
        assert_eq!(token(&json!({"acr": acr})).unwrap().has_acr_of(&named), expected, "{acr}");
        assert!(!token(&json!({"acr": acr})).unwrap().has_acr_of(&[]), "{acr}");
    }
}
