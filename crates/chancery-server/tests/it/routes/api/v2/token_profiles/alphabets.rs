//! Alphabets of one's own.

use serde_json::{Value, json};

use super::Bench;

/// So many characters from the CJK ideographs on; none needs an escape in JSON.
fn symbols(number: usize) -> String {
    ('\u{4E00}'..=char::MAX).take(number).collect()
}

fn format(alphabet: &str, length: u32) -> Value {
    let plain = json!({"keepTrailing": 0, "passThrough": "", "luhn": "Ignore"});
    super::changed(plain, &json!({"alphabet": alphabet, "minLength": length, "maxLength": 16}))
}

#[tokio::test]
async fn an_alphabet_has_2_to_65536_symbols() {
    let bench = Bench::new().await;
    for (number, length) in [(2, 20), (65_536, 2)] {
        let alphabet = symbols(number);
        let mut format = format(&alphabet, length);
        format["maxLength"] = json!(length.max(16));
        let name = format!("{number} symbols");
        let profile = bench.profile(json!({"objInfo": {"name": name}, "format": format})).await;
        let message: String = alphabet.chars().rev().cycle().take(20.min(length as usize)).collect();
        let token = profile.tokenize(&message).await;
        assert!(token.chars().all(|symbol| alphabet.contains(symbol)));
        let back = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(back.response()["message"], message);
        assert_eq!(profile.read().await["format"]["alphabet"], alphabet);
    }
    for number in [0, 1, 65_537] {
        let reply = bench.create(json!({"format": format(&symbols(number), 2)})).await;
        reply.refused(400, "InvalidValue", Some("/format/alphabet"));
    }
}
