//! What a witness answers. Pure: nothing is sent or stored here.

use chancery_verify::log::{Cosigned, WitnessKey};

use super::request::Request;
use crate::outbound::Posted;

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Cosigned(Cosigned),
    /// It has seen a tree of so many leaves: the proof has to be made from there.
    Seen(u64),
    Refused(Refusal),
}

/// Why a witness has not cosigned. All but the last are told at once: asking again does not help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It has seen something that the newest checkpoint does not add to: this history or the one that it saw was changed.
    AnotherHistory(String),
    /// It does not know the log of this name, or not its key.
    UnknownLog(String),
    /// It cannot be reached, or answers what is no answer.
    NoAnswer(String),
}

impl Refusal {
    /// As the audit records name it.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::AnotherHistory(_) => "AnotherHistory",
            Self::UnknownLog(_) => "UnknownLog",
            Self::NoAnswer(_) => "NoAnswer",
        }
    }

    pub(super) fn says(&self) -> &str {
        let (Self::AnotherHistory(says) | Self::UnknownLog(says) | Self::NoAnswer(says)) = self;
        says
    }

    /// Whether it has to be told at once.
    pub(super) const fn is_final(&self) -> bool {
        !matches!(self, Self::NoAnswer(_))
    }
}

impl Answer {
    pub(super) fn of(posted: &Posted, request: &Request, key: &WitnessKey) -> Self {
        let Posted { status, body, is_whole } = posted;
        let no = |says: String| Self::Refused(Refusal::NoAnswer(says));
        let other = |says: String| Self::Refused(Refusal::AnotherHistory(says));
        match (status, std::str::from_utf8(body)) {
            (200, Ok(lines)) if *is_whole => match key.find(&format!("{}{lines}", request.newest.note)) {
                Ok(Some(cosigned)) => Self::Cosigned(cosigned),
                Ok(None) => no("it answered no cosignature of its key".to_owned()),
                Err(bad) => no(format!("it answered what is no cosignature: {bad}")),
            },
            (409, Ok(size)) if *is_whole => match size_of(size) {
                Some(size) if size == request.old => other(format!("it has another tree of the same {size} leaves")),
                Some(size) if size > request.newest.size => {
                    other(format!("it has a tree of {size} leaves, and here are {}", request.newest.size))
                }
                Some(size) => Self::Seen(size),
                None => no("it answered 409 without a size".to_owned()),
            },
            (422, _) => other(format!("the newest tree does not begin with the {} leaves that it has", request.old)),
            (404, _) => Self::Refused(Refusal::UnknownLog("it does not know a log of this name (404)".to_owned())),
            (403, _) => Self::Refused(Refusal::UnknownLog("it does not know the log's key (403)".to_owned())),
            (status, _) => no(format!("it answered {status}")),
        }
    }
}

/// A decimal without leading zeros, and the end of its line.
fn size_of(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('\n').unwrap_or(text);
    let size: u64 = digits.parse().ok()?;
    (size.to_string() == digits && i64::try_from(size).is_ok()).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::{super::request::Newest, *};

    fn answer(status: u16, body: &str, is_whole: bool) -> Answer {
        let newest = Newest { note: "log\n9\nAA==\n\n\u{2014} log AAAAAAAA\n".to_owned(), size: 9 };
        let request = Request { newest, old: 5, body: String::new() };
        let key = "witness.example.com/w1+8122a5ab+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs".parse().unwrap();
        Answer::of(&Posted { status, body: body.as_bytes().to_vec(), is_whole }, &request, &key)
    }

    fn refused(status: u16, body: &str) -> &'static str {
        match answer(status, body, true) {
            Answer::Refused(refusal) => refusal.name(),
            other @ (Answer::Cosigned(_) | Answer::Seen(_)) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_size_is_gone_on_from_and_another_history_is_told_apart_from_no_answer() {
        assert_eq!(answer(409, "7\n", true), Answer::Seen(7));
        assert_eq!(answer(409, "0\n", true), Answer::Seen(0));
        assert_eq!(answer(409, "9\n", true), Answer::Seen(9));
        for (status, body, name) in [
            (409, "5\n", "AnotherHistory"),
            (409, "10\n", "AnotherHistory"),
            (422, "", "AnotherHistory"),
            (404, "", "UnknownLog"),
            (403, "", "UnknownLog"),
            (409, "", "NoAnswer"),
            (409, "07\n", "NoAnswer"),
            (409, "-1\n", "NoAnswer"),
            (409, "18446744073709551615\n", "NoAnswer"),
            (200, "", "NoAnswer"),
            (200, "<html>", "NoAnswer"),
            (200, "\u{2014} witness.example.com/w1 gSKlqwAAAABkGFDL\n", "NoAnswer"),
            (200, "\u{2014} other.example.com AAAAAAAA\n", "NoAnswer"),
            (302, "", "NoAnswer"),
            (500, "", "NoAnswer"),
        ] {
            assert_eq!(refused(status, body), name, "{status} {body:?}");
        }
        assert!(matches!(answer(409, "7\n", false), Answer::Refused(Refusal::NoAnswer(_))), "it was cut off");
    }
}
