//! Reads FF1 vectors in three formats: the NIST samples, ACVP's internal projection, and wycheproof's; plain or gzip.

use std::io::Read;

use chancery_ff1::Alphabet;
use serde_json::Value;

/// One vector.
pub(crate) struct Case {
    /// Where it stands: its number in the file.
    pub(crate) name: String,
    /// AES key.
    pub(crate) key: Vec<u8>,
    /// Size of the alphabet.
    pub(crate) radix: u32,
    /// The alphabet, if the vector is text of printable ASCII.
    pub(crate) alphabet: Option<Alphabet>,
    /// Tweak.
    pub(crate) tweak: Vec<u8>,
    /// Digits in clear; `None` if they cannot even be written as digits below 65536 or symbols of the alphabet.
    pub(crate) plain: Option<Vec<u16>>,
    /// Digits encrypted; `None` as for `plain`.
    pub(crate) cipher: Option<Vec<u16>>,
    /// Whether the source calls it valid.
    pub(crate) valid: bool,
}

/// The vectors of one file.
pub(crate) fn parse(file: &[u8]) -> Result<Vec<Case>, String> {
    let mut plain = Vec::new();
    if file.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut plain).map_err(|e| format!("gzip: {e}"))?;
    } else {
        plain.extend(file);
    }
    let root: Value = serde_json::from_slice(&plain).map_err(|e| format!("JSON: {e}"))?;
    if let Some(samples) = root["samples"].as_array() {
        let alphabet = text(&root, "alphabet")?;
        let prefix = |sample: &Value| -> Result<String, String> {
            // The samples share one alphabet; each uses the start of it.
            Ok(alphabet.chars().take(radix(sample)? as usize).collect())
        };
        return samples.iter().map(|s| case(s, radix(s)?, Some(&prefix(s)?), "sample", ["pt", "ct"])).collect();
    }
    let groups = root["testGroups"].as_array().ok_or("neither samples nor testGroups")?;
    let mut cases = Vec::new();
    for group in groups {
        let fields = if group["type"].is_string() { ["msg", "ct"] } else { ["pt", "ct"] };
        let alphabet = group["alphabet"].as_str();
        for test in group["tests"].as_array().ok_or("a group without tests")? {
            cases.push(case(test, radix(group)?, alphabet, "tcId", fields)?);
        }
    }
    Ok(cases)
}

fn case(
    test: &Value,
    radix: u32,
    alphabet: Option<&str>,
    id: &str,
    [plain, cipher]: [&str; 2],
) -> Result<Case, String> {
    let name = format!("{id} {}", test[id].as_str().map_or_else(|| test[id].to_string(), str::to_owned));
    let at = |error: String| format!("{name}: {error}");
    Ok(Case {
        key: hex::decode(text(test, "key").map_err(at)?).map_err(|e| at(e.to_string()))?,
        radix,
        alphabet: alphabet.and_then(|symbols| Alphabet::new(symbols).ok()),
        tweak: hex::decode(text(test, "tweak").map_err(at)?).map_err(|e| at(e.to_string()))?,
        plain: digits(&test[plain], alphabet),
        cipher: digits(&test[cipher], alphabet),
        valid: test["result"].as_str() != Some("invalid"),
        name,
    })
}

/// A list of integers, or text over the alphabet.
fn digits(value: &Value, alphabet: Option<&str>) -> Option<Vec<u16>> {
    if let Some(list) = value.as_array() {
        return list.iter().map(|digit| u16::try_from(digit.as_u64()?).ok()).collect();
    }
    let alphabet: Vec<char> = alphabet?.chars().collect();
    let digit = |symbol: char| alphabet.iter().position(|&other| other == symbol).and_then(|d| u16::try_from(d).ok());
    value.as_str()?.chars().map(digit).collect()
}

fn radix(value: &Value) -> Result<u32, String> {
    value["radix"].as_u64().and_then(|radix| u32::try_from(radix).ok()).ok_or_else(|| "no radix".to_owned())
}

fn text<'a>(value: &'a Value, field: &str) -> Result<&'a str, String> {
    value[field].as_str().ok_or_else(|| format!("no {field}"))
}
