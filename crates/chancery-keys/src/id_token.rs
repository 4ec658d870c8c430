//! Tokens that an identity provider signed: JSON Web Tokens (RFC 7519), under the keys of a JSON Web Key Set (RFC 7517).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_types::JwtAlgorithm;
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation,
    dangerous::insecure_decode_claims,
    decode, decode_header,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::sign::is_of_small_order;

/// Keys of one set: providers have two or three.
const KEYS_MAX: usize = 100;

/// What a token says, once its signature was found good.
pub type Claims = Map<String, Value>;

/// The public keys of a provider.
pub struct ProviderKeys(Vec<ProviderKey>);

struct ProviderKey {
    id: Option<String>,
    fits: &'static [Algorithm],
    only: Option<KeyAlgorithm>,
    key: DecodingKey,
}

/// Why a text is no set of keys that tokens can be verified with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeySetError {
    /// Not an object with an array `keys`.
    #[error("it is no JSON Web Key Set, an object with an array `keys`")]
    NoSet,
    /// More than anybody has.
    #[error("it has more than {KEYS_MAX} keys")]
    TooMany,
    /// Somebody gave their private key away.
    #[error("it holds a private key, which is not needed here, and should be replaced now that it was sent")]
    Private,
    /// None of the keys can be used.
    #[error("it has no RSA, P-256, P-384 or Ed25519 key for signatures")]
    NoKey,
}

/// Why a token was refused. Whoever shows it is told only that it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IdTokenError {
    /// Not three parts of base64url, or no JSON header with a registered algorithm (`none` is not taken for one), or one
    /// that demands to be understood in ways that we do not know.
    #[error("not a signed JSON Web Token")]
    Malformed,
    /// An algorithm that is not allowed.
    #[error("the token's algorithm is not allowed")]
    Algorithm,
    /// No key of the provider has this name and is for this algorithm.
    #[error("the token names no known key")]
    UnknownKey,
    /// Changed, or made with another key.
    #[error("the token's signature is wrong")]
    Signature,
}

impl ProviderKeys {
    /// Reads a set. What is for something else than signatures, or of a kind that we do not know, is left out (RFC 7517,
    /// section 5).
    pub fn parse(text: &[u8]) -> Result<Self, KeySetError> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Map<String, Value>>,
        }
        let Set { keys } = serde_json::from_slice(text).map_err(|_| KeySetError::NoSet)?;
        if keys.len() > KEYS_MAX {
            return Err(KeySetError::TooMany);
        }
        if keys.iter().any(|key| key.contains_key("d")) {
            return Err(KeySetError::Private);
        }
        let keys: Vec<_> = keys.into_iter().filter_map(ProviderKey::of).collect();
        if keys.is_empty() { Err(KeySetError::NoKey) } else { Ok(Self(keys)) }
    }

    /// The claims of a token that one of these keys signed with one of these algorithms. No claim is looked at.
    pub fn verify(&self, token: &str, allowed: &[JwtAlgorithm]) -> Result<Claims, IdTokenError> {
        let header = decode_header(token).map_err(|_| IdTokenError::Malformed)?;
        if !is_plain(token) {
            return Err(IdTokenError::Malformed);
        }
        let algorithm = header.alg;
        if !allowed.iter().any(|allowed| registered(*allowed) == algorithm) {
            return Err(IdTokenError::Algorithm);
        }
        let fitting = self.0.iter().filter(|key| key.is_for(algorithm));
        let named: Vec<_> = match &header.kid {
            Some(id) => fitting.filter(|key| key.id.as_ref() == Some(id)).collect(),
            None => fitting.collect(),
        };
        match named.as_slice() {
            [key] => verified(token, key, algorithm),
            // Keys without names, or several of one name: it is not said which of them it is.
            [] | [_, ..] => Err(IdTokenError::UnknownKey),
        }
    }
}

/// What tokens say that they are: RFC 7519, 5.1, and access tokens of RFC 9068.
const KINDS: [&str; 3] = ["JWT", "at+jwt", "application/at+jwt"];

/// Whether the header asks for nothing that is not done here, and is of no other kind of token, such as one that says that
/// somebody has logged out (RFC 7515, 4.1.11; RFC 8725, 3.11).
fn is_plain(token: &str) -> bool {
    let header = token.split('.').next().and_then(|header| URL_SAFE_NO_PAD.decode(header).ok());
    let members: Option<Map<String, Value>> = header.and_then(|header| serde_json::from_slice(&header).ok());
    members.is_some_and(|members| {
        let is_jwt =
            |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.iter().any(|one| one.eq_ignore_ascii_case(kind)));
        !["crit", "enc", "zip"].iter().any(|asked| members.contains_key(*asked))
            && members.get("typ").is_none_or(is_jwt)
    })
}

impl ProviderKey {
    fn of(members: Map<String, Value>) -> Option<Self> {
        let is_to_verify = |operations: &Value| operations.as_array().is_some_and(|all| all.contains(&"verify".into()));
        let is_for_signatures =
            members.get("use").is_none_or(|what| what == "sig") && members.get("key_ops").is_none_or(is_to_verify);
        let jwk: Jwk = serde_json::from_value(members.into()).ok()?;
        let fits: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => &[
                Algorithm::RS256,
                Algorithm::RS384,
                Algorithm::RS512,
                Algorithm::PS256,
                Algorithm::PS384,
                Algorithm::PS512,
            ],
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => &[Algorithm::ES256],
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P384 => &[Algorithm::ES384],
            // With a point of small order everybody signs, and the library verifies it.
            AlgorithmParameters::OctetKeyPair(key)
                if key.curve == EllipticCurve::Ed25519 && !is_small_order_point(&key.x) =>
            {
                &[Algorithm::EdDSA]
            }
            // The library may come to know more kinds.
            AlgorithmParameters::EllipticCurve(_)
            | AlgorithmParameters::OctetKeyPair(_)
            | AlgorithmParameters::OctetKey(_)
            | _ => return None,
        };
        let key = DecodingKey::from_jwk(&jwk).ok().filter(|_| is_for_signatures)?;
        Some(Self { id: jwk.common.key_id, fits, only: jwk.common.key_algorithm, key })
    }

    fn is_for(&self, algorithm: Algorithm) -> bool {
        self.fits.contains(&algorithm) && self.only.is_none_or(|only| only == KeyAlgorithm::from(algorithm))
    }
}

fn is_small_order_point(x: &str) -> bool {
    URL_SAFE_NO_PAD.decode(x).is_ok_and(|point| is_of_small_order(&point))
}

/// What a token says of who issued it, before anything of it is verified: it tells whose keys to try.
#[must_use]
pub fn claimed_issuer(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Issuer {
        iss: String,
    }
    insecure_decode_claims::<Issuer>(token).ok().map(|claims| claims.iss)
}

fn verified(token: &str, key: &ProviderKey, algorithm: Algorithm) -> Result<Claims, IdTokenError> {
    // The library's own rules, less all that would look at the clock or at claims.
    let mut validation = Validation::new(algorithm);
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    decode(token, &key.key, &validation).map(|token| token.claims).map_err(|_| IdTokenError::Signature)
}

const fn registered(algorithm: JwtAlgorithm) -> Algorithm {
    match algorithm {
        JwtAlgorithm::RS256 => Algorithm::RS256,
        JwtAlgorithm::RS384 => Algorithm::RS384,
        JwtAlgorithm::RS512 => Algorithm::RS512,
        JwtAlgorithm::PS256 => Algorithm::PS256,
        JwtAlgorithm::PS384 => Algorithm::PS384,
        JwtAlgorithm::PS512 => Algorithm::PS512,
        JwtAlgorithm::ES256 => Algorithm::ES256,
        JwtAlgorithm::ES384 => Algorithm::ES384,
        JwtAlgorithm::EdDSA => Algorithm::EdDSA,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7515, appendix A.3.
    const TOKEN: &str = "eyJhbGciOiJFUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
        DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    const POINT: &str =
        r#""x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#;

    fn set(more: &str) -> Result<ProviderKeys, KeySetError> {
        ProviderKeys::parse(format!(r#"{{"keys":[{{"kty":"EC","crv":"P-256",{POINT}{more}}}]}}"#).as_bytes())
    }

    fn verify(more: &str, token: &str, allowed: &[JwtAlgorithm]) -> Result<Claims, IdTokenError> {
        set(more).expect("a set").verify(token, allowed)
    }

    #[test]
    fn the_example_of_rfc_7515_is_verified() {
        assert_eq!(claimed_issuer(TOKEN).as_deref(), Some("joe"));
        for more in ["", r#","use":"sig","alg":"ES256""#, r#","key_ops":["verify"],"kid":"any""#] {
            let claims = verify(more, TOKEN, &[JwtAlgorithm::RS256, JwtAlgorithm::ES256]).expect("it is good");
            assert_eq!((&claims["iss"], &claims["exp"]), (&"joe".into(), &1_300_819_380.into()));
        }
    }

    #[test]
    fn what_is_not_allowed_or_not_signed_is_refused() {
        let all = [JwtAlgorithm::ES256];
        let refused = |token: &str| verify("", token, &all).expect_err("it is refused");
        assert_eq!(verify("", TOKEN, &[JwtAlgorithm::RS256, JwtAlgorithm::ES384]), Err(IdTokenError::Algorithm));
        assert_eq!(verify("", TOKEN, &[]), Err(IdTokenError::Algorithm));
        assert_eq!(verify(r#","alg":"ES384""#, TOKEN, &all), Err(IdTokenError::UnknownKey), "the key is for another");
        let (signed, signature) = TOKEN.rsplit_once('.').expect("three parts");
        let claims = signed.split_once('.').expect("two parts").1;
        assert_eq!(refused(&format!("{signed}.{}", signature.replace('D', "E"))), IdTokenError::Signature);
        assert_eq!(refused(&format!("{}.{signature}", signed.replace("9leGFt", "9leGFu"))), IdTokenError::Signature);
        assert_eq!(refused(&format!("{signed}.")), IdTokenError::Signature);
        // {"alg":"none"}, {"alg":"HS256"}, {"alg":"ES256","crit":["b64"]}, {"alg":"ES256","kid":"x"}
        for (header, why) in [
            ("eyJhbGciOiJub25lIn0", IdTokenError::Malformed),
            ("eyJhbGciOiJIUzI1NiJ9", IdTokenError::Algorithm),
            ("eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il19", IdTokenError::Malformed),
            ("eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ", IdTokenError::UnknownKey),
        ] {
            assert_eq!(refused(&format!("{header}.{claims}.{signature}")), why, "{header}");
        }
        for more in [r#""typ":"logout+jwt""#, r#""typ":7"#, r#""crit":null"#, r#""zip":"DEF""#, r#""enc":"A128GCM""#] {
            let header = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"ES256",{more}}}"#));
            assert_eq!(refused(&format!("{header}.{claims}.{signature}")), IdTokenError::Malformed, "{more}");
        }
        for kind in ["jwt", "at+jwt"] {
            let header = URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"ES256","typ":"{kind}"}}"#));
            assert_eq!(refused(&format!("{header}.{claims}.{signature}")), IdTokenError::Signature, "{kind}");
        }
        for text in ["", ".", "..", "a.b", "a.b.c.d", &format!("{TOKEN}.x")] {
            assert_eq!(refused(text), IdTokenError::Malformed, "{text}");
        }
    }

    #[test]
    fn a_set_is_of_public_keys_for_signatures() {
        let refused = |text: &str| ProviderKeys::parse(text.as_bytes()).err();
        for text in ["", "[]", "{}", r#"{"keys":{}}"#, r#"{"keys":["x"]}"#] {
            assert_eq!(refused(text), Some(KeySetError::NoSet), "{text}");
        }
        assert_eq!(refused(r#"{"keys":[]}"#), Some(KeySetError::NoKey));
        assert_eq!(refused(r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#), Some(KeySetError::NoKey));
        // The example of RFC 8037, appendix A.2, and the point of order 1, with which everybody signs.
        let edwards = |x: &str| format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","x":"{x}"}}]}}"#);
        assert_eq!(refused(&edwards("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")), None);
        assert_eq!(refused(&edwards(&format!("AQ{}", "A".repeat(41)))), Some(KeySetError::NoKey));
        assert_eq!(refused(r#"{"keys":[{"kty":"of another time"}]}"#), Some(KeySetError::NoKey));
        assert_eq!(set(r#","use":"enc""#).err(), Some(KeySetError::NoKey));
        assert_eq!(set(r#","key_ops":["encrypt"]"#).err(), Some(KeySetError::NoKey));
        assert_eq!(set(r#","d":"AAAA""#).err(), Some(KeySetError::Private));
        let many = vec!["{}"; KEYS_MAX + 1].join(",");
        assert_eq!(refused(&format!(r#"{{"keys":[{many}]}}"#)), Some(KeySetError::TooMany));
    }
}
