//! OCSP answers that were signed already: a crowd that asks the same costs one signature and no look into the store.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use uuid::Uuid;

use super::issuers::Issuers;

/// For how long an answer is given out again. It stays good for a day, so nobody is handed one that is about to end.
const KEPT_S: i64 = 3_600;

/// Bytes that are kept; beyond, all are forgotten. Answers of P-256 responders have a kilobyte, of ML-DSA-87 ones 17.
const BYTES_MAX: usize = 32 * 1024 * 1024;

/// Answers by what was asked: one certificate, without a nonce.
#[derive(Default)]
pub(crate) struct Answers {
    kept: Mutex<Kept>,
    /// Who can be asked about.
    pub(super) issuers: Issuers,
}

#[derive(Default)]
struct Kept {
    answers: HashMap<Vec<u8>, Answer>,
    bytes: usize,
    /// Counts what was forgotten. What was read from the store before somebody revoked is not kept after it.
    generation: u64,
}

struct Answer {
    der: Vec<u8>,
    signed_s: i64,
    /// The certificate, its authority and the responder: if one of them is revoked, the answer is no longer right.
    rests_on: [Uuid; 3],
}

/// The state of the store that an answer is made from.
#[derive(Clone, Copy)]
pub(super) struct Generation(u64);

impl Answers {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called before the store is read.
    pub(super) fn generation(&self) -> Generation {
        Generation(self.kept().generation)
    }

    /// The answer to this question, if it is young.
    pub(super) fn find(&self, question: &[u8], now_s: i64) -> Option<Vec<u8>> {
        let kept = self.kept();
        let answer = kept.answers.get(question)?;
        (answer.signed_s..answer.signed_s + KEPT_S).contains(&now_s).then(|| answer.der.clone())
    }

    /// Keeps an answer, unless something was forgotten since the store was read.
    pub(super) fn keep(&self, read: Generation, question: Vec<u8>, der: &[u8], signed_s: i64, rests_on: [Uuid; 3]) {
        let mut kept = self.kept();
        let bytes = question.len() + der.len();
        if kept.generation != read.0 || bytes > BYTES_MAX {
            return;
        }
        if kept.bytes + bytes > BYTES_MAX {
            kept.answers.clear();
            kept.bytes = 0;
        }
        let old = kept.answers.insert(question, Answer { der: der.to_vec(), signed_s, rests_on });
        // The question is as long as before.
        kept.bytes = old.map_or(kept.bytes + bytes, |old| kept.bytes + der.len() - old.der.len());
    }

    /// Forgets what rests on a certificate that was revoked or released, or everything.
    pub(crate) fn forget(&self, certificate: Option<Uuid>) {
        let mut kept = self.kept();
        kept.generation += 1;
        kept.answers.retain(|_, answer| certificate.is_some_and(|id| !answer.rests_on.contains(&id)));
        kept.bytes = kept.answers.iter().map(|(question, answer)| question.len() + answer.der.len()).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn answers_are_kept_for_a_while_and_forgotten_with_what_they_rest_on() {
        let answers = Answers::default();
        let keep = |question: u8, certificate: u128| {
            answers.keep(answers.generation(), vec![question], b"der", 100, [id(certificate), id(8), id(9)]);
        };
        keep(1, 1);
        keep(2, 2);
        for (now_s, found) in [(99, false), (100, true), (100 + KEPT_S - 1, true), (100 + KEPT_S, false)] {
            assert_eq!(answers.find(&[1], now_s).is_some(), found, "{now_s}");
        }
        answers.forget(Some(id(1)));
        assert_eq!((answers.find(&[1], 100), answers.find(&[2], 100)), (None, Some(b"der".to_vec())));
        answers.forget(Some(id(9)));
        assert_eq!(answers.find(&[2], 100), None);
        keep(1, 1);
        answers.forget(None);
        assert_eq!((answers.find(&[1], 100), answers.kept().bytes), (None, 0));
    }

    #[test]
    fn what_was_read_before_a_revocation_is_not_kept_after_it() {
        let answers = Answers::default();
        let read = answers.generation();
        answers.forget(Some(id(7)));
        answers.keep(read, vec![1], b"der", 100, [id(1); 3]);
        assert_eq!(answers.find(&[1], 100), None);
    }

    #[test]
    fn no_more_is_kept_than_fits() {
        let answers = Answers::default();
        let large = vec![0; BYTES_MAX / 2];
        for question in 0..5 {
            answers.keep(answers.generation(), vec![question], &large, 100, [id(1); 3]);
            assert!(answers.kept().bytes <= BYTES_MAX);
            assert!(answers.find(&[question], 100).is_some());
        }
        answers.keep(answers.generation(), vec![4], b"short", 100, [id(1); 3]);
        let kept = answers.kept();
        let counted: usize = kept.answers.values().map(|answer| 1 + answer.der.len()).sum();
        assert_eq!(kept.bytes, counted);
    }
}
