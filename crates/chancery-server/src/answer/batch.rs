//! The answers of batches: most of one is an array of texts, which is not written value by value. Value by value, a batch
//! takes 20 % more processor time (decision 0158).

use axum::response::{IntoResponse, Response};
use chancery_types::wire::token_profiles::BatchResponse;
use serde::ser::Error as _;

use super::{Failure, in_envelope, written};

/// What handlers of batches answer.
pub(crate) type BatchAnswer<T> = Result<Batch<T>, Failure>;

/// The response of a batch that succeeded; it leaves as any [`Success`] does.
pub(crate) struct Batch<T>(T);

/// The answer of a batch that succeeded.
pub(crate) const fn batch<T>(response: T) -> BatchAnswer<T> {
    Ok(Batch(response))
}

impl<T: BatchResponse> IntoResponse for Batch<T> {
    fn into_response(self) -> Response {
        written(self.in_envelope())
    }
}

impl<T: BatchResponse> Batch<T> {
    /// serde writes it with an empty array, in whose place the texts go.
    fn in_envelope(mut self) -> serde_json::Result<Vec<u8>> {
        let texts = std::mem::take(self.0.texts());
        let rest = in_envelope(&self.0)?;
        let empty = format!("\"{}\":[]", T::MEMBER);
        let place = rest.windows(empty.len()).position(|some| some == empty.as_bytes());
        let place = place.ok_or_else(|| serde_json::Error::custom("a batch without its texts"))? + empty.len();
        let quotes_and_commas = 3 * texts.len();
        let mut json = Vec::with_capacity(rest.len() + texts.bytes() + quotes_and_commas);
        json.extend_from_slice(&rest[..place - 2]);
        texts.write_json(&mut json)?;
        json.extend_from_slice(&rest[place..]);
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use chancery_types::wire::{
        Envelope, ItemError, Texts,
        token_profiles::{BatchDetokenizationResponse, BatchTokenizationResponse, RewrapResponse},
    };
    use chancery_types::{Base64, ErrorCode};

    use super::*;

    fn same<T: BatchResponse + Clone>(response: T) {
        let general = serde_json::to_vec(&Envelope::success(response.clone())).unwrap();
        assert_eq!(String::from_utf8(Batch(response).in_envelope().unwrap()), String::from_utf8(general));
    }

    #[test]
    fn a_batch_is_written_as_its_envelope() {
        let mut with_null: Texts = ["one", "four"].into_iter().collect();
        with_null.push_null();
        let arrays = [
            Texts::default(),
            ["4111111111111111"].into_iter().collect(),
            ["4111111111111111", "5500000000000004"].into_iter().collect(),
            ["a\"b", "\\\n\u{1}", "z\u{fc}", "\"tokens\":[]"].into_iter().collect(),
            with_null,
        ];
        for texts in arrays {
            for errors in [
                Vec::new(),
                vec![ItemError { index: 1, error_code: ErrorCode::InvalidValue, message: "\"tokens\":[]".into() }],
            ] {
                same(BatchDetokenizationResponse { messages: texts.clone(), errors: errors.clone() });
                for ivs in [None, Some(vec![None, Some(Base64(vec![1, 2]))])] {
                    let (key_version, errors) = (ivs.as_ref().map(|_| 2), errors.clone());
                    same(BatchTokenizationResponse {
                        tokens: texts.clone(),
                        ivs: ivs.clone(),
                        key_version,
                        errors: errors.clone(),
                    });
                    same(RewrapResponse { tokens: texts.clone(), ivs, key_version: 3, errors });
                }
            }
        }
    }
}
