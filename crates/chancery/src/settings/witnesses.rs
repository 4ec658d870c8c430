//! `--witness`: who is asked for cosignatures.

use chancery_core::Witness;

use crate::failure::{Failure, While as _};

/// More than any client would demand.
const WITNESSES_MAX: usize = 20;

/// `VKEY URL`, each.
pub(super) fn of(given: &[String]) -> Result<Vec<Witness>, Failure> {
    let mut witnesses: Vec<Witness> = Vec::new();
    for text in given {
        let named = one(text).doing(format!("--witness {text}"))?;
        if witnesses.iter().any(|known| known.key == named.key) {
            return Err(format!("--witness {text}: this key is named twice").into());
        }
        witnesses.push(named);
    }
    if witnesses.len() > WITNESSES_MAX {
        return Err(format!("--witness: at most {WITNESSES_MAX}").into());
    }
    Ok(witnesses)
}

fn one(text: &str) -> Result<Witness, Failure> {
    let parts: Vec<_> = text.split_whitespace().collect();
    let [key, url] = parts[..] else {
        return Err("two words are expected: the witness's key, NAME+ID+KEY, and its https address".into());
    };
    let key = key.parse().doing("its key")?;
    let host = url.strip_prefix("https://").map(|rest| rest.split('/').next().unwrap_or_default());
    if host.is_none_or(str::is_empty) || url.contains(['?', '#', '@']) {
        return Err("its address is https://HOST, with a path where it has one, and nothing behind that".into());
    }
    Ok(Witness { key, url: url.trim_end_matches('/').to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "witness.example.com/w1+8122a5ab+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs";

    #[test]
    fn a_witness_is_a_key_and_an_address_and_is_named_once() {
        let named = |texts: &[&str]| of(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let found = named(&[&format!("{KEY} https://w1.example.com/base/")]).unwrap();
        assert_eq!(
            (found[0].key.name(), found[0].url.as_str()),
            ("witness.example.com/w1", "https://w1.example.com/base")
        );
        for wrong in [
            KEY,
            "https://w1.example.com",
            &format!("{KEY} http://w1.example.com"),
            &format!("{KEY} https://"),
            &format!("{KEY} https://w1.example.com?x"),
            &format!("{KEY} https://user@w1.example.com"),
            &format!("{KEY}x https://w1.example.com"),
        ] {
            assert!(named(&[wrong]).is_err(), "{wrong}");
        }
        let twice = format!("{KEY} https://w1.example.com");
        assert!(named(&[&twice, &twice]).unwrap_err().to_string().contains("twice"));
    }
}
