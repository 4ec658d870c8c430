mod damage;
mod sharing;

use std::collections::HashSet;

use chancery_store::tables::vault_tokens;
use chancery_types::{
    Perm, RoleId, TokenProfileId,
    wire::{
        Texts,
        keys::CreateKey,
        token_profiles::{
            BatchDetokenizeRequest, BatchTokenizeRequest, CreateTokenProfile, DetokenizeRequest, TokenRequest,
            TokenizeRequest, TokenizedRequest,
        },
    },
};
use serde_json::{Value, json};

use crate::{Caller, Chancery, Error, Meaning, Result, testing::Installation};

const DAY_MS: i64 = 86_400_000;

/// An installation with a Random profile, and who may do everything with it.
pub(super) struct Bench {
    installation: Installation,
    pub(super) caller: Caller,
    pub(super) id: TokenProfileId,
}

impl Bench {
    pub(super) async fn new(members: Value) -> Self {
        Self::on(Installation::new().await, members).await
    }

    async fn on(installation: Installation, members: Value) -> Self {
        let caller = installation.administrators().await;
        assert!(caller.has(Perm::TokenizationManage));
        let id = profile(&installation.chancery, &caller, members).await.unwrap();
        Self { installation, caller, id }
    }

    pub(super) fn chancery(&self) -> &Chancery {
        &self.installation.chancery
    }

    async fn tokenize(&self, message: &str) -> Result<String> {
        self.tokenize_with(json!({"message": message})).await
    }

    async fn tokenize_with(&self, request: Value) -> Result<String> {
        let request: TokenizeRequest = serde_json::from_value(request).unwrap();
        Ok(self.chancery().tokens.tokenize(&self.caller, self.id, request).await?.token)
    }

    async fn detokenize(&self, token: &str) -> Result<String> {
        let request: DetokenizeRequest = serde_json::from_value(json!({"token": token})).unwrap();
        Ok(self.chancery().tokens.detokenize(&self.caller, self.id, request).await?.message)
    }

    async fn tokenized(&self, message: &str) -> Result<bool> {
        let request = TokenizedRequest { message: message.to_owned() };
        Ok(self.chancery().tokens.tokenized(&self.caller, self.id, request).await?.tokenized)
    }

    async fn rows(&self) -> i64 {
        let id = self.id;
        let count = self
            .chancery()
            .storage
            .store()
            .read(move |tx| Box::pin(async move { Ok::<_, Error>(vault_tokens::count(tx, id.into()).await?) }));
        count.await.unwrap()
    }
}

async fn profile(chancery: &Chancery, caller: &Caller, members: Value) -> Result<TokenProfileId> {
    let types = chancery.keys.key_type_stubs(caller, &Default::default()).await.unwrap().results;
    let aes = types.iter().find(|stub| stub.obj_info.name == "AES-256 Tokenization").unwrap();
    let key = CreateKey { name: format!("key of {members}"), key_type_uuid: aes.obj_info.uuid, usages: None };
    let key = chancery.keys.create_key(caller, key).await.unwrap();
    let rules = ["Tokenize", "Detokenize", "Batch"]
        .map(|operation| json!({"roleUuid": RoleId::ADMINISTRATOR, "operation": operation}));
    let mut request = json!({
        "objInfo": {"name": "random"},
        "algorithm": "Random",
        "keyUuid": key.uuid,
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 4, "passThrough": " -",
                   "luhn": "Valid"},
        "controlRules": rules,
    });
    request.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let request: CreateTokenProfile = serde_json::from_value(request).unwrap();
    Ok(chancery.tokens.create_token_profile(caller, request).await?.obj_info.uuid)
}

pub(super) async fn batch(chancery: &Chancery, caller: &Caller, id: TokenProfileId, messages: &[String]) -> Texts {
    let request: BatchTokenizeRequest = serde_json::from_value(json!({"messages": messages})).unwrap();
    chancery.tokens.batch_tokenize(caller, id, request).await.unwrap().tokens
}

fn meaning<T>(answer: Result<T>) -> Meaning {
    answer.err().unwrap().meaning()
}

/// Card numbers that pass Luhn.
pub(super) fn cards(count: usize) -> Vec<String> {
    let card = |number: usize| {
        let mut digits: Vec<u16> = format!("{:016}", 4_000_000_000_000_000 + number as u64 * 79_190)
            .bytes()
            .map(|digit| u16::from(digit - b'0'))
            .collect();
        digits[15] = super::super::luhn::check_digit(&digits, 15);
        digits.into_iter().map(|digit| digit.to_string()).collect()
    };
    (0..count).map(card).collect()
}

const CARD: &str = "4111 1111-1111 1111";

#[tokio::test]
async fn a_message_has_one_token_of_its_format_and_comes_back() {
    let bench = Bench::new(json!({})).await;
    let token = bench.tokenize(CARD).await.unwrap();
    assert_eq!((token.len(), &token[4..5], &token[9..10], &token[15..]), (19, " ", "-", "1111"));
    assert_ne!(token, CARD);
    let digits: Vec<u16> = token.bytes().filter(u8::is_ascii_digit).map(|digit| u16::from(digit - b'0')).collect();
    assert!(super::super::luhn::passes(&digits));
    assert_eq!(bench.tokenize(CARD).await.unwrap(), token);
    let plain = token.replace([' ', '-'], "");
    assert_eq!(bench.tokenize("4111111111111111").await.unwrap(), plain, "passThrough is no part of the message");
    assert_eq!(bench.detokenize(&token).await.unwrap(), CARD);
    assert_eq!(bench.detokenize(&plain).await.unwrap(), "4111111111111111");
    assert_eq!(bench.rows().await, 1);
    // One message after another: batch and single are the same.
    let request: BatchDetokenizeRequest = serde_json::from_value(json!({"tokens": [plain, token]})).unwrap();
    let messages = bench.chancery().tokens.batch_detokenize(&bench.caller, bench.id, request).await.unwrap().messages;
    assert_eq!(messages, ["4111111111111111", CARD].into_iter().collect());
}

#[tokio::test]
async fn without_deterministic_each_call_has_a_token_of_its_own() {
    let bench = Bench::new(json!({"deterministic": false})).await;
    let tokens = batch(bench.chancery(), &bench.caller, bench.id, &vec![CARD.to_owned(); 50]).await;
    let tokens: HashSet<&str> = tokens.iter().flatten().collect();
    assert_eq!((tokens.len(), bench.rows().await), (50, 50));
    for token in tokens {
        assert_eq!(bench.detokenize(token).await.unwrap(), CARD);
    }
    let refusal = bench.tokenized(CARD).await.unwrap_err();
    assert_eq!(refusal.meaning(), Meaning::State);
}

#[tokio::test]
async fn tokens_that_were_never_made_are_not_there() {
    let bench = Bench::new(json!({})).await;
    let token = bench.tokenize(CARD).await.unwrap();
    for other in ["4111111111111111", "4222222222222"] {
        let refusal = bench.detokenize(other).await.unwrap_err();
        assert_eq!((refusal.meaning(), refusal.field()), (Meaning::Value, Some("/token")));
        assert_eq!(refusal.message(), "There is no such token.");
    }
    assert_eq!(meaning(bench.detokenize("4111111111111112").await), Meaning::Value, "no token of this format");
    // Another profile does not know it, nor one with the same key.
    let other = profile(bench.chancery(), &bench.caller, json!({"objInfo": {"name": "other"}})).await.unwrap();
    let request: DetokenizeRequest = serde_json::from_value(json!({"token": token})).unwrap();
    assert_eq!(meaning(bench.chancery().tokens.detokenize(&bench.caller, other, request).await), Meaning::Value);
}

#[tokio::test]
async fn formats_of_every_kind() {
    for (format, messages) in [
        (json!({"alphabet": "Decimal", "minLength": 1, "maxLength": 3}), ["7", "42", "999"]),
        (
            json!({"alphabet": "Decimal", "minLength": 13, "maxLength": 19, "luhn": "Invalid"}),
            ["4111111111111111", "378282246310005", "5555555555554444"],
        ),
        (
            json!({"alphabet": "LowerHex", "minLength": 2, "maxLength": 9, "tokenLength": 12}),
            ["00", "000", "abcdef012"],
        ),
        (
            json!({"alphabet": "häß🂡z", "minLength": 4, "maxLength": 9, "keepLeading": 1, "passThrough": "._"}),
            ["hhhh", "z.ß_äh", "🂡🂡🂡🂡🂡"],
        ),
        (
            json!({"alphabet": "Decimal", "minLength": 9, "maxLength": 9, "passThrough": "-"}),
            ["123-45-6789", "123456789", "---000000000"],
        ),
    ] {
        let bench = Bench::new(json!({"format": format})).await;
        for message in messages {
            let token = bench.tokenize(message).await.unwrap();
            assert_ne!(token, message);
            match format.get("tokenLength") {
                Some(_) => assert_eq!(token.chars().count(), 12),
                None => assert_eq!(token.chars().count(), message.chars().count()),
            }
            assert_eq!(bench.detokenize(&token).await.unwrap(), message, "{format}");
            assert!(bench.tokenized(message).await.unwrap());
        }
    }
}

#[tokio::test]
async fn patterns_of_every_kind() {
    for (pattern, messages) in [
        ("{001..665,667..899}-{01..99}-{0001..9999}", ["123-45-6789", "899-99-9999", "001-01-0001"]),
        ("{date:YYYY-MM-DD,2024-02-27..2024-03-02}", ["2024-02-27", "2024-02-29", "2024-03-01"]),
        ("{LowerAlpha:2..5}@[LowerAlpha:1..9].com", ["ab@example.com", "zzz@a.com", "abcde@b.com"]),
        ("DE<iban>{Decimal:18}", ["DE89370400440532013000", "DE75512108001245126199", "DE02120300000000202051"]),
    ] {
        let bench = Bench::new(json!({"format": {"pattern": pattern}})).await;
        for message in messages {
            let token = bench.tokenize(message).await.unwrap();
            assert_ne!(token, message);
            assert_eq!(token.len(), message.len());
            assert_eq!(bench.tokenize(message).await.unwrap(), token);
            assert_eq!(bench.detokenize(&token).await.unwrap(), message, "{pattern}");
        }
    }
    // All five days but one have a token; the last has one unless its own is what is left.
    let format = json!({"pattern": "{date:YYYY-MM-DD,2024-02-27..2024-03-02}"});
    let bench = Bench::new(json!({"format": format})).await;
    let mut tokens = HashSet::new();
    for message in ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01"] {
        tokens.insert(bench.tokenize(message).await.unwrap());
    }
    assert_eq!(tokens.len(), 4);
    match bench.tokenize("2024-03-02").await {
        Ok(token) => assert!(tokens.insert(token)),
        Err(refusal) => assert_eq!((refusal.meaning(), tokens.contains("2024-03-02")), (Meaning::State, false)),
    }
}

#[tokio::test]
async fn small_formats_are_used_up_to_the_last_token() {
    let digit = json!({"alphabet": "Decimal", "minLength": 1, "maxLength": 2});
    let bench = Bench::new(json!({"format": digit, "deterministic": false})).await;
    let mut tokens = HashSet::new();
    for _ in 0..9 {
        tokens.insert(bench.tokenize("5").await.unwrap());
    }
    assert_eq!(tokens.len(), 9);
    assert!(!tokens.contains("5"), "a token never equals its message");
    let refusal = bench.tokenize("5").await.unwrap_err();
    assert_eq!((refusal.meaning(), refusal.field()), (Meaning::State, Some("/message")));
    assert!(refusal.message().starts_with("Of the 10 tokens that the format has"), "{refusal}");
    assert_eq!(bench.tokenize("4").await.unwrap(), "5", "the last one");
    // In one batch: all but one of the hundred tokens of two digits, and what is too much is refused.
    let request: BatchTokenizeRequest =
        serde_json::from_value(json!({"messages": vec!["77"; 120], "partial": true})).unwrap();
    let answer = bench.chancery().tokens.batch_tokenize(&bench.caller, bench.id, request).await.unwrap();
    assert_eq!(answer.tokens.iter().flatten().collect::<HashSet<_>>().len(), 99);
    assert_eq!(answer.errors.len(), 21);
    assert_eq!(bench.rows().await, 109);
}

#[tokio::test]
async fn a_batch_that_fails_keeps_nothing() {
    let bench = Bench::new(json!({"format": {"alphabet": "Decimal", "minLength": 1, "maxLength": 9}})).await;
    for messages in [json!(["1", "x"]), json!(["1", ""])] {
        let request: BatchTokenizeRequest = serde_json::from_value(json!({"messages": messages})).unwrap();
        assert_eq!(
            meaning(bench.chancery().tokens.batch_tokenize(&bench.caller, bench.id, request).await),
            Meaning::Value
        );
    }
    let eleven: Vec<String> = (0..11).map(|number| format!("{number}")).collect();
    let bench =
        Bench::new(json!({"deterministic": false, "format": {"alphabet": "Decimal", "minLength": 1, "maxLength": 1}}))
            .await;
    let request: BatchTokenizeRequest = serde_json::from_value(json!({"messages": vec!["1"; eleven.len()]})).unwrap();
    assert_eq!(meaning(bench.chancery().tokens.batch_tokenize(&bench.caller, bench.id, request).await), Meaning::State);
    assert_eq!(bench.rows().await, 0);
}

#[tokio::test]
async fn what_has_expired_is_not_there_and_is_removed() {
    let bench = Bench::new(json!({"timeToLive": {"unit": "Day", "amount": "1"}})).await;
    let token = bench.tokenize(CARD).await.unwrap();
    let soon =
        bench.tokenize_with(json!({"message": "5555555555554444", "expiresAt": "2026-01-01T12:00:00Z"})).await.unwrap();
    bench.installation.clock.advance_ms(DAY_MS / 2);
    assert_eq!(meaning(bench.detokenize(&soon).await), Meaning::Value);
    assert!(!bench.tokenized("5555555555554444").await.unwrap());
    assert_eq!(bench.tokenize(CARD).await.unwrap(), token);
    bench.installation.clock.advance_ms(DAY_MS / 2);
    assert_eq!(bench.detokenize(&token).await.unwrap_err().message(), "There is no such token.");
    let delete = TokenRequest { token: token.clone() };
    assert_eq!(meaning(bench.chancery().tokens.delete_token(&bench.caller, bench.id, delete).await), Meaning::Value);
    assert_ne!(bench.tokenize(CARD).await.unwrap(), token, "a new one in the place of the old");
    assert_eq!(bench.rows().await, 3);
    assert_eq!(bench.chancery().tokens.tidy_once().await.unwrap(), 2);
    assert_eq!(bench.chancery().tokens.tidy_once().await.unwrap(), 0);
    assert!(bench.tokenized(CARD).await.unwrap());
}

#[tokio::test]
async fn a_clock_that_was_ahead_takes_no_token_away() {
    let bench = Bench::new(json!({"timeToLive": {"unit": "Year", "amount": "1"}})).await;
    let token = bench.tokenize(CARD).await.unwrap();
    bench.chancery().look_at_clock().await.unwrap();
    bench.installation.clock.advance_ms(2 * 366 * DAY_MS);
    bench.chancery().look_at_clock().await.unwrap();
    let mut ahead = bench;
    ahead.caller = ahead.installation.administrators().await;
    assert_eq!(ahead.detokenize(&token).await.unwrap_err().message(), "There is no such token.");
    let other = ahead.tokenize(CARD).await.unwrap();
    assert_ne!(other, token);
    assert_eq!(ahead.chancery().tokens.tidy_once().await.unwrap(), 0);
    ahead.installation.clock.advance_ms(-2 * 366 * DAY_MS);
    ahead.caller = ahead.installation.administrators().await;
    for token in [token, other] {
        assert_eq!(ahead.detokenize(&token).await.unwrap(), CARD, "{token}");
    }
}

#[tokio::test]
async fn tokens_of_a_deleted_profile_are_removed_unless_another_shares_them() {
    let bench = Bench::new(json!({"objInfo": {"name": "first"}})).await;
    bench.tokenize(CARD).await.unwrap();
    let sharing = json!({"objInfo": {"name": "second"}, "tweakDomain": bench.id});
    let second = profile(bench.chancery(), &bench.caller, sharing).await.unwrap();
    bench.chancery().tokens.delete_token_profile(&bench.caller, bench.id).await.unwrap();
    assert_eq!(bench.chancery().tokens.tidy_once().await.unwrap(), 0);
    bench.chancery().tokens.delete_token_profile(&bench.caller, second).await.unwrap();
    assert_eq!(bench.chancery().tokens.tidy_once().await.unwrap(), 1);
    assert_eq!(bench.rows().await, 0);
}

/// Two nodes, the same messages in batches, the second in another order: each gets the same tokens, and the vault holds
/// each once.
async fn two_writers(installation: Installation, count: usize, size: usize) {
    let bench = Bench::on(installation, json!({})).await;
    let other = bench.installation.other_node().await;
    let messages = cards(count);
    let write = |chancery: std::sync::Arc<Chancery>, backwards: bool| {
        let (caller, id, messages) = (bench.caller.clone(), bench.id, messages.clone());
        tokio::spawn(async move {
            let mut batches: Vec<Vec<String>> = messages.chunks(size).map(<[String]>::to_vec).collect();
            if backwards {
                batches.reverse();
            }
            let mut pairs = Vec::new();
            for messages in batches {
                let tokens = batch(&chancery, &caller, id, &messages).await;
                let tokens = tokens.iter().map(|token| token.unwrap().to_owned());
                pairs.extend(messages.into_iter().zip(tokens.collect::<Vec<_>>()));
            }
            pairs.sort_unstable();
            pairs
        })
    };
    let (one, two) = (write(bench.installation.chancery.clone(), false), write(other, true));
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    assert!(one == two, "both writers got the same tokens");
    let tokens: HashSet<&String> = one.iter().map(|(_, token)| token).collect();
    assert_eq!((tokens.len(), bench.rows().await), (count, i64::try_from(count).unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_of_100_000_messages_get_the_same_tokens_on_sqlite() {
    two_writers(Installation::new().await, 100_000, 10_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_of_100_000_messages_get_the_same_tokens_on_postgres() {
    two_writers(Installation::on_postgres().await, 100_000, 10_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_of_different_messages_share_a_nearly_full_format() {
    // 1,000 tokens for 990 messages, four writers: they get in each other's way all the time.
    let format = json!({"alphabet": "Decimal", "minLength": 3, "maxLength": 3});
    let bench = Bench::on(Installation::on_postgres().await, json!({"format": format})).await;
    let writers = (0..4).map(|writer| {
        let (chancery, caller, id) = (bench.installation.chancery.clone(), bench.caller.clone(), bench.id);
        tokio::spawn(async move {
            let mut tokens = Vec::new();
            let messages: Vec<String> =
                (0..990).filter(|number| number % 4 == writer).map(|number| format!("{number:03}")).collect();
            for messages in messages.chunks(50) {
                tokens.extend(
                    batch(&chancery, &caller, id, messages).await.iter().map(|token| token.unwrap().to_owned()),
                );
            }
            tokens
        })
    });
    let mut tokens = HashSet::new();
    for writer in writers.collect::<Vec<_>>() {
        tokens.extend(writer.await.unwrap());
    }
    assert_eq!((tokens.len(), bench.rows().await), (990, 990));
}
