use chancery_types::{RevealFrom, TokenAlgorithm, wire::token_profiles::TokenFormat};
use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::{
    Limits, Meaning,
    tokenization::{
        mask::{Mask, Reveals},
        rules::tests::{MAY_DETOKENIZE, MAY_TOKENIZE, may_see},
    },
};

/// Made by testdata/texts.py, which shares no line with this crate.
const FROZEN: &str = include_str!("../../../../testdata/texts.json");

const ALGORITHMS: [TokenAlgorithm; 3] = [TokenAlgorithm::AesSiv, TokenAlgorithm::AesGcm, TokenAlgorithm::Hmac];
const NONCE: Iv = Iv::Xaes([9; 24]);

#[derive(Deserialize)]
struct Frozen {
    key: String,
    domain: String,
    iv: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    algorithm: TokenAlgorithm,
    version: u32,
    message: String,
    token: String,
}

/// With one key for each version from `oldest` on.
fn engine(algorithm: TokenAlgorithm, oldest: u32, keys: &[[u8; 32]], domain: u128) -> TextEngine {
    engine_within(algorithm, oldest, keys, domain, 1, 65_536)
}

fn engine_within(
    algorithm: TokenAlgorithm,
    oldest: u32,
    keys: &[[u8; 32]],
    domain: u128,
    min_length: u32,
    max_length: u32,
) -> TextEngine {
    let limits = Limits::default();
    let wire = TokenFormat { min_length, max_length, ..TextFormat::default_wire(&limits) };
    let cipher = |key: &[u8; 32]| match algorithm {
        TokenAlgorithm::AesSiv => TextCipher::AesSiv(Box::new(Aes256Siv::derive(key).unwrap())),
        TokenAlgorithm::AesGcm => TextCipher::AesGcm(Xaes256Gcm::new(key).unwrap()),
        TokenAlgorithm::Hmac => TextCipher::Hmac(Box::new(HmacSha256::new(key))),
        TokenAlgorithm::Ff1 | TokenAlgorithm::Random => unreachable!("not of texts"),
    };
    TextEngine {
        format: TextFormat::compile(algorithm, &wire, &limits).unwrap(),
        domain: TokenProfileId::from_u128(domain),
        ciphers: Versions::new(oldest, keys.iter().map(cipher).collect()).unwrap(),
    }
}

fn one(outcome: Result<Outcome>) -> Result<String, BadValue> {
    let outcome = outcome.unwrap();
    match outcome.bad.first() {
        Some(&(_, bad)) => Err(bad),
        None => Ok(outcome.texts.at(0).unwrap().unwrap().to_owned()),
    }
}

fn tokenize(engine: &TextEngine, message: &str) -> Result<String, BadValue> {
    one(engine.tokenize(&MAY_TOKENIZE, [message].into_iter(), &[NONCE]))
}

fn detokenize(engine: &TextEngine, token: &str) -> Result<String, BadValue> {
    one(engine.detokenize(&MAY_DETOKENIZE, [token].into_iter(), &[Some(NONCE)], None))
}

#[test]
fn tokens_are_frozen() {
    let frozen: Frozen = serde_json::from_str(FROZEN).unwrap();
    let key: [u8; 32] = hex::decode(&frozen.key).unwrap().try_into().unwrap();
    let iv = Iv::Xaes(hex::decode(&frozen.iv).unwrap().try_into().unwrap());
    let domain = u128::from_str_radix(&frozen.domain, 16).unwrap();
    for Case { algorithm, version, message, token } in frozen.cases {
        let engine = engine(algorithm, version, &[key], domain);
        assert_eq!(one(engine.tokenize(&MAY_TOKENIZE, [message.as_str()].into_iter(), &[iv])).as_ref(), Ok(&token));
        if !engine.is_one_way() {
            let back = engine.detokenize(&MAY_DETOKENIZE, [token.as_str()].into_iter(), &[Some(iv)], None);
            assert_eq!(one(back), Ok(message));
        }
    }
}

#[test]
fn nothing_leads_back_from_hmac() {
    let hmac = engine(TokenAlgorithm::Hmac, 1, &[[1; 32]], 1);
    let token = tokenize(&hmac, "message").unwrap();
    assert_eq!(token.len(), 48);
    let refusal = hmac.detokenize(&MAY_DETOKENIZE, [token.as_str()].into_iter(), &[], None).unwrap_err();
    assert_eq!(refusal.meaning(), Meaning::Forbidden);
}

#[test]
fn what_was_altered_or_is_of_another_profile_version_or_iv_is_refused() {
    for algorithm in [TokenAlgorithm::AesSiv, TokenAlgorithm::AesGcm] {
        let keys = [[1; 32], [2; 32]];
        let both = engine(algorithm, 1, &keys, 1);
        let token = tokenize(&both, "to whom it may concern").unwrap();
        assert_eq!(detokenize(&both, &token).unwrap(), "to whom it may concern");
        assert_eq!(detokenize(&engine(algorithm, 1, &keys, 2), &token), Err(BadValue::NotAuthentic));
        // The version in the header is authentic: with the other one nothing opens, even under the same key.
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        let same_keys = engine(algorithm, 1, &[[2; 32], [2; 32]], 1);
        for bit in 0..bytes.len() * 8 {
            let mut altered = bytes.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            let refusal = detokenize(&same_keys, &URL_SAFE_NO_PAD.encode(altered)).unwrap_err();
            assert!(matches!(refusal, BadValue::NotAuthentic | BadValue::Version { .. }), "{refusal}");
        }
        let other_iv = [Some(Iv::Xaes([8; 24]))];
        let opened = one(both.detokenize(&MAY_DETOKENIZE, [token.as_str()].into_iter(), &other_iv, None));
        if algorithm == TokenAlgorithm::AesGcm {
            assert_eq!(opened, Err(BadValue::NotAuthentic));
        }
        for cut in 0..token.len() {
            assert!(detokenize(&both, &token[..cut]).is_err());
        }
    }
}

#[test]
fn only_one_spelling_of_a_token_is_taken() {
    let engine = engine(TokenAlgorithm::AesSiv, 1, &[[1; 32]], 1);
    let token = tokenize(&engine, "ab").unwrap();
    assert_eq!(token.len() % 4, 2, "the last character has four bits that mean nothing");
    let last = token.chars().last().unwrap();
    let stray = token[..token.len() - 1].to_owned() + if last == 'A' { "B" } else { "_" };
    for other in
        [stray, format!("{token}=="), format!("{token}\n"), token.replace(['-', '_'], "+") + "+", String::new()]
    {
        assert!(detokenize(&engine, &other).is_err(), "{other}");
    }
}

#[test]
fn the_token_tells_the_version() {
    for algorithm in [TokenAlgorithm::AesSiv, TokenAlgorithm::AesGcm] {
        let keys = [[1; 32], [2; 32], [3; 32]];
        let old = tokenize(&engine(algorithm, 1, &keys[..1], 1), "message").unwrap();
        let new = tokenize(&engine(algorithm, 1, &keys, 1), "message").unwrap();
        assert_ne!(old, new);
        let all = engine(algorithm, 1, &keys, 1);
        let tokens = [old.as_str(), &new];
        let outcome = all.detokenize(&MAY_DETOKENIZE, tokens.into_iter(), &[Some(NONCE); 2], None).unwrap();
        assert_eq!(outcome.texts.iter().flatten().collect::<Vec<_>>(), ["message", "message"]);
        let asked = all.detokenize(&MAY_DETOKENIZE, tokens.into_iter(), &[Some(NONCE); 2], Some(1)).unwrap();
        assert_eq!(asked.bad, [(1, BadValue::OtherVersion { version: 3 })]);
        let later = engine(algorithm, 2, &keys[1..], 1);
        assert_eq!(detokenize(&later, &old), Err(BadValue::Version { version: 1, oldest: 2, newest: 3 }));
        assert_eq!(detokenize(&later, &new).unwrap(), "message");
    }
}

#[test]
fn lengths_count_characters_and_are_exact() {
    for algorithm in ALGORITHMS {
        let some = engine_within(algorithm, 1, &[[1; 32]], 1, 2, 3);
        for (message, fits) in [("", false), ("🂡", false), ("🂡ä", true), ("äöü", true), ("äöü!", false)] {
            assert_eq!(tokenize(&some, message).is_ok(), fits, "{message}");
        }
        assert_eq!(tokenize(&some, "a"), Err(BadValue::Length { characters: 1, min: 2, max: 3 }));
        let all = engine(algorithm, 1, &[[1; 32]], 1);
        let longest = "x".repeat(65_536);
        let token = tokenize(&all, &longest).unwrap();
        assert_eq!(tokenize(&all, &(longest.clone() + "x")), Err(BadValue::TooLarge { bytes_max: 65_536 }));
        if !all.is_one_way() {
            assert_eq!(detokenize(&all, &token), Ok(longest));
            let bytes_max = (HEADER + SEAL + 65_536usize).div_ceil(3) * 4;
            let above = "A".repeat(bytes_max + 1);
            assert_eq!(detokenize(&all, &above), Err(BadValue::TooLarge { bytes_max }));
        }
    }
}

#[test]
fn a_partial_view_counts_characters() {
    let engine = engine(TokenAlgorithm::AesSiv, 1, &[[1; 32]], 1);
    let grant = may_see(Mask::new(Reveals::of(3, RevealFrom::End), '#'));
    for (message, seen) in [("Zoë 🂡!", "### 🂡!"), ("äöü", "###"), ("ab", "##")] {
        let token = tokenize(&engine, message).unwrap();
        let shown = one(engine.detokenize(&grant, [token.as_str()].into_iter(), &[], None));
        assert_eq!(shown.as_deref(), Ok(seen));
    }
}

#[test]
fn a_batch_goes_on_after_bad_values() {
    let gcm = engine_within(TokenAlgorithm::AesGcm, 1, &[[1; 32]], 1, 2, 9);
    let ivs = [[1; 24], [2; 24], [3; 24]].map(Iv::Xaes);
    let made = gcm.tokenize(&MAY_TOKENIZE, ["one", "2", "three"].into_iter(), &ivs).unwrap();
    assert_eq!(made.bad, [(1, BadValue::Length { characters: 1, min: 2, max: 9 })]);
    let tokens = [made.texts.at(0).flatten().unwrap(), "no token", made.texts.at(2).flatten().unwrap()];
    let given = [Some(ivs[0]), Some(ivs[1]), None];
    let back = gcm.detokenize(&MAY_DETOKENIZE, tokens.into_iter(), &given, None).unwrap();
    assert_eq!(back.bad, [(1, BadValue::NoSuchToken), (2, BadValue::Iv { bytes: 24 })]);
    assert_eq!(back.texts.at(0).flatten(), Some("one"));
}

proptest! {
    #[test]
    fn detokenize_inverts_tokenize(
        algorithm in prop::sample::select(ALGORITHMS.to_vec()),
        keys in prop::collection::vec(any::<[u8; 32]>(), 1..4),
        oldest in 1u32..300,
        domain in any::<u128>(),
        nonce in any::<[u8; 24]>(),
        messages in prop::collection::vec("\\PC{1,60}|[\\x00-\\x7f]{1,40}", 1..10),
    ) {
        let engine = engine(algorithm, oldest, &keys, domain);
        let ivs = vec![Iv::Xaes(nonce); messages.len()];
        let batch = engine.tokenize(&MAY_TOKENIZE, messages.iter().map(String::as_str), &ivs).unwrap();
        prop_assert_eq!(&batch.bad, &[]);
        for (message, token) in messages.iter().zip(batch.texts.iter().flatten()) {
            let single = one(engine.tokenize(&MAY_TOKENIZE, [message.as_str()].into_iter(), &ivs));
            prop_assert_eq!(single.as_deref(), Ok(token), "a batch is many singles");
            let of_base64url = |symbol: char| symbol.is_ascii_alphanumeric() || symbol == '-' || symbol == '_';
            prop_assert!(token.chars().all(of_base64url), "a token is base64url text");
        }
        if engine.is_one_way() {
            return Ok(());
        }
        let given: Vec<_> = ivs.into_iter().map(Some).collect();
        let mut later_keys = keys;
        later_keys.extend([[1; 32], [2; 32]]);
        let later = self::engine(algorithm, oldest, &later_keys, domain);
        let back = later.detokenize(&MAY_DETOKENIZE, batch.texts.iter().flatten(), &given, None).unwrap();
        prop_assert_eq!(&back.bad, &[], "also by a profile that has moved on");
        prop_assert!(back.texts.iter().flatten().eq(messages.iter().map(String::as_str)));
    }
}
