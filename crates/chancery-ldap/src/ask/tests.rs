//! Against a directory of our own that says whatever a test wants.

use std::collections::VecDeque;

use super::*;
use crate::ber::{ENUMERATED, INTEGER, OCTET_STRING, Reader, SEQUENCE, SET, number, tlv};

/// What a directory does where it is asked the next time.
enum Does {
    /// Answers this, in messages that name the request.
    Answers(Vec<Vec<u8>>),
    /// The same, and names another request.
    AnswersAnother(Vec<u8>),
    /// Sends these bytes.
    Sends(Vec<u8>),
    /// Sends this message again and again.
    GoesOn(Vec<u8>),
    /// Closes the connection.
    Closes,
}

/// A directory that takes requests, whole, and does one thing after the other.
#[derive(Default)]
struct Hostile {
    does: VecDeque<Does>,
    asked: Vec<(u32, u8, Vec<u8>)>,
    answer: VecDeque<u8>,
    goes_on: Option<Vec<u8>>,
    sent: usize,
}

impl Write for Hostile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut message = Reader::new(Reader::new(bytes).expect(SEQUENCE).unwrap());
        let id = message.number(INTEGER).unwrap();
        let (tag, content) = message.next().unwrap();
        self.asked.push((id, tag, content.to_vec()));
        self.goes_on = None;
        let named = |id, operation: &[u8]| tlv(SEQUENCE, &[&number(INTEGER, id), operation]).to_vec();
        match self.does.pop_front() {
            Some(Does::Answers(answers)) => self.answer.extend(answers.iter().flat_map(|answer| named(id, answer))),
            Some(Does::AnswersAnother(answer)) => self.answer.extend(named(id + 1, &answer)),
            Some(Does::Sends(bytes)) => self.answer.extend(bytes),
            Some(Does::GoesOn(answer)) => self.goes_on = Some(named(id, &answer)),
            Some(Does::Closes) | None => {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Hostile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let (true, Some(more)) = (self.answer.is_empty(), &self.goes_on) {
            self.answer.extend(more);
        }
        let length = buffer.len().min(self.answer.len());
        for (place, byte) in buffer.iter_mut().zip(self.answer.drain(..length)) {
            *place = byte;
        }
        self.sent += length;
        Ok(length)
    }
}

fn ended(tag: u8, code: u32) -> Vec<u8> {
    let parts = [number(ENUMERATED, code), tlv(OCTET_STRING, &[]), tlv(OCTET_STRING, &[b"said\nso"])];
    tlv(tag, &parts.each_ref().map(|part| part.as_slice())).to_vec()
}

fn bound(code: u32) -> Does {
    Does::Answers(vec![ended(0x61, code)])
}

fn entry(name: &str, attribute: &str, values: &[&[u8]]) -> Vec<u8> {
    let values: Vec<_> = values.iter().map(|value| tlv(OCTET_STRING, &[value])).collect();
    let set = tlv(SET, &values.iter().map(|value| value.as_slice()).collect::<Vec<_>>());
    let pair = tlv(SEQUENCE, &[&tlv(OCTET_STRING, &[attribute.as_bytes()]), &set]);
    tlv(0x64, &[&tlv(OCTET_STRING, &[name.as_bytes()]), &tlv(SEQUENCE, &[&pair])]).to_vec()
}

fn ann() -> Vec<u8> {
    entry("uid=ann,dc=x", "ENTRYUUID", &[b"id-1"])
}

fn found(mut messages: Vec<Vec<u8>>) -> Does {
    messages.push(ended(0x65, 0));
    Does::Answers(messages)
}

/// What comes of a login, and what the directory was asked.
fn asked(is_searched: bool, does: Vec<Does>) -> (Result<Answer, Fault>, Hostile) {
    let mut directory = Hostile { does: does.into(), ..Hostile::default() };
    let (filter, name) =
        (Filter::parse("(uid={username})").unwrap(), DistinguishedName::parse("uid={username},dc=x").unwrap());
    let account = if is_searched {
        Account::Searched { bind_dn: "cn=kms", bind_password: b"service", base: "dc=x", filter: &filter }
    } else {
        Account::Named(&name)
    };
    let question =
        Question { account, username: "ann", password: b"right", id_attribute: "entryUUID", time_limit_s: 5 };
    let answer = ask(&mut directory, &question);
    (answer, directory)
}

fn fault(answer: Result<Answer, Fault>) -> String {
    answer.unwrap_err().to_string()
}

#[test]
fn who_is_searched_for_binds_by_the_name_that_was_found() {
    let (answer, directory) = asked(true, vec![bound(0), found(vec![ann()]), bound(0)]);
    assert_eq!(answer.unwrap(), Answer::Is(b"id-1".to_vec()));
    let tags: Vec<_> = directory.asked.iter().map(|(id, tag, _)| (*id, *tag)).collect();
    assert_eq!(tags, [(1, 0x60), (2, 0x63), (3, 0x60), (4, 0x42)]);
    let binds = |place: usize, name: &str, password: &[u8]| {
        let mut bind = Reader::new(&directory.asked[place].2);
        assert_eq!(bind.number(INTEGER), Ok(3));
        assert_eq!((bind.expect(OCTET_STRING), bind.expect(0x80)), (Ok(name.as_bytes()), Ok(password)));
    };
    binds(0, "cn=kms", b"service");
    binds(2, "uid=ann,dc=x", b"right");
}

#[test]
fn who_is_named_binds_and_reads_their_own_entry() {
    let (answer, directory) = asked(false, vec![bound(0), found(vec![ann()])]);
    assert_eq!(answer.unwrap(), Answer::Is(b"id-1".to_vec()));
    let tags: Vec<_> = directory.asked.iter().map(|(_, tag, _)| *tag).collect();
    assert_eq!(tags, [0x60, 0x63, 0x42]);
    let mut search = Reader::new(&directory.asked[1].2);
    assert_eq!((search.expect(OCTET_STRING), search.number(ENUMERATED)), (Ok(&b"uid=ann,dc=x"[..]), Ok(0)));
}

#[test]
fn nobody_is_let_in_whom_the_directory_does_not_let_in() {
    let not = |is_searched, does| match asked(is_searched, does).0.unwrap() {
        Answer::Not(refusal) => refusal,
        Answer::Is(id) => panic!("{id:?}"),
    };
    let said = |code| Refusal::Bind(Outcome { code, text: "saidso".to_owned() });
    assert_eq!(not(true, vec![bound(0), found(vec![])]), Refusal::NoEntry);
    assert_eq!(not(true, vec![bound(0), found(vec![ann(), ann()])]), Refusal::SeveralEntries);
    let too_many = Does::Answers(vec![ann(), ended(0x65, 4)]);
    assert_eq!(not(true, vec![bound(0), too_many]), Refusal::SeveralEntries);
    assert_eq!(not(true, vec![bound(0), found(vec![ann()]), bound(49)]), said(49));
    assert_eq!(not(false, vec![bound(49)]), said(49));
    assert_eq!(not(false, vec![bound(32)]), said(32));
    for (attribute, values) in
        [("uid", &[&b"id-1"[..]][..]), ("entryUUID", &[]), ("entryUUID", &[b"a", b"b"]), ("entryUUID", &[b""])]
    {
        let other = || found(vec![entry("uid=ann,dc=x", attribute, values)]);
        assert_eq!(not(true, vec![bound(0), other(), bound(0)]), Refusal::NoId, "{attribute}");
        assert_eq!(not(false, vec![bound(0), other()]), Refusal::NoId, "{attribute}");
    }
    assert_eq!(not(false, vec![bound(0), Does::Answers(vec![ended(0x65, 32)])]), Refusal::NoId);
    // A wrong password is one also where the entry has no id.
    let other = found(vec![entry("uid=ann,dc=x", "uid", &[b"x"])]);
    assert_eq!(not(true, vec![bound(0), other, bound(49)]), said(49));
}

#[test]
fn a_service_account_that_is_refused_is_nobodys_wrong_password() {
    let (answer, directory) = asked(true, vec![bound(49)]);
    assert_eq!(fault(answer), "it refuses the service account: result code 49, saidso");
    assert_eq!(directory.asked.len(), 1, "nothing is searched for by an anonymous connection");
    for code in OF_THE_DIRECTORY {
        let (answer, _) = asked(false, vec![bound(code)]);
        assert_eq!(fault(answer), format!("it refuses a bind: result code {code}, saidso"));
    }
    let (answer, _) = asked(true, vec![bound(0), Does::Answers(vec![ended(0x65, 32)])]);
    assert_eq!(fault(answer), "it refuses a search: result code 32, saidso", "the base is not there");
}

#[test]
fn referrals_are_not_followed() {
    let reference = tlv(0x73, &[&tlv(OCTET_STRING, &[b"ldap://evil.example/"])]).to_vec();
    let (answer, _) = asked(true, vec![bound(0), found(vec![reference.clone(), ann(), reference.clone()]), bound(0)]);
    assert_eq!(answer.unwrap(), Answer::Is(b"id-1".to_vec()));
    let (answer, _) = asked(true, vec![bound(0), found(vec![reference])]);
    assert_eq!(answer.unwrap(), Answer::Not(Refusal::NoEntry));
    let (answer, _) = asked(true, vec![bound(0), Does::Answers(vec![ended(0x65, 10)])]);
    assert_eq!(fault(answer), "it refuses a search: result code 10, saidso");
}

#[test]
fn a_directory_that_does_not_end_is_left() {
    for more in [tlv(0x73, &[]).to_vec(), tlv(0x73, &[&[0; 60_000]]).to_vec()] {
        let (answer, directory) = asked(true, vec![bound(0), Does::GoesOn(more)]);
        assert_eq!(fault(answer), "it does not answer as a directory does: a search has no end");
        assert!(directory.sent < (MESSAGES_MAX + 1) * 64 * 1_024, "{}", directory.sent);
    }
    let (answer, _) = asked(true, vec![bound(0), Does::GoesOn(ann())]);
    assert_eq!(answer.unwrap(), Answer::Not(Refusal::SeveralEntries));
}

#[test]
fn what_is_no_answer_is_none() {
    let sends = |bytes: &[u8]| Does::Sends(bytes.to_vec());
    // Hundreds of values inside each other, as deep as a message allows.
    let nested = [&[0x30, 0x82, 0xff, 0x00, 2, 1, 1][..], &[0x61, 0x80].repeat(32_637), &[0; 3]].concat();
    let deep = [&[0x30, 0x82, 0xff, 0x00][..], &[0x30, 0x84, 0, 0, 0xfe, 0][..], &[0x30; 65_274]].concat();
    for (does, why) in [
        (sends(&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 2, 1, 1]), "a message is too long"),
        (sends(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), "a message is too long"),
        (sends(&[0x30, 0x80, 2, 1, 1, 0, 0]), "a message is malformed"),
        (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "a message is malformed"),
        (sends(&[0x30, 0]), "a message is malformed"),
        (sends(&[0x30, 3, 2, 1, 1]), "a message is malformed"),
        (sends(&[0x30, 7, 2, 1, 1, 0x61, 0x84, 0xff, 0xff]), "a message is malformed"),
        (sends(&[0x30, 6, 2, 1, 1, 0x61, 1, 10]), "a message is malformed"),
        (sends(&nested), "a message is malformed"),
        (sends(&deep), "a message is malformed"),
        (Does::AnswersAnother(ended(0x61, 0)), "another request"),
        // The notice of disconnection has the number 0 (RFC 4511, 4.4.1).
        (sends(&tlv(SEQUENCE, &[&number(INTEGER, 0), &ended(0x78, 52)])), "another request"),
        (Does::Answers(vec![ended(0x65, 0)]), "a message is malformed"),
        (Does::Answers(vec![ended(0x78, 0)]), "a message is malformed"),
        (Does::Answers(vec![ann()]), "a message is malformed"),
        (Does::Closes, "failed to fill whole buffer"),
        (sends(&[0x30, 0x20, 2, 1]), "failed to fill whole buffer"),
    ] {
        let (answer, _) = asked(false, vec![does]);
        let fault = fault(answer);
        assert!(fault.contains(why), "{fault} {why}");
    }
    // Somebody's success that answers the search is none of the bind that follows.
    let success_too_early = Does::Answers(vec![ann(), ended(0x65, 0), ended(0x61, 0)]);
    let (answer, _) = asked(true, vec![bound(0), success_too_early, Does::Closes]);
    assert!(fault(answer).contains("another request"));
}

#[test]
fn nobody_binds_without_a_name_or_a_password() {
    let (answer, directory) = asked(true, vec![bound(0), found(vec![entry("", "entryUUID", &[b"id-1"])]), bound(0)]);
    assert_eq!(fault(answer), "it does not answer as a directory does: an entry has no name");
    assert_eq!(directory.asked.iter().filter(|(_, tag, _)| *tag == 0x60).count(), 1);
    let name = DistinguishedName::parse("uid={username}").unwrap();
    let question = Question {
        account: Account::Named(&name),
        username: "ann",
        password: b"",
        id_attribute: "entryUUID",
        time_limit_s: 5,
    };
    let mut directory = Hostile { does: [bound(0)].into(), ..Hostile::default() };
    assert!(matches!(ask(&mut directory, &question), Err(Fault::EmptyPassword)));
    assert!(directory.asked.is_empty(), "not even a connection's first message is sent");
}

#[test]
fn tls_begins_behind_the_answer_and_not_a_byte_later() {
    let answered = |code| tlv(SEQUENCE, &[&number(INTEGER, 1), &ended(0x78, code)]).to_vec();
    let injected = [answered(0), b"plaintext that somebody has put in".to_vec()].concat();
    let mut directory = Hostile { does: [Does::Sends(injected)].into(), ..Hostile::default() };
    start_tls(&mut directory).unwrap();
    let left: Vec<u8> = directory.answer.iter().copied().collect();
    assert_eq!(left, b"plaintext that somebody has put in", "TLS is given this, and refuses it");
    for code in [1, 2, 10, 52, 53] {
        let mut directory = Hostile { does: [Does::Sends(answered(code))].into(), ..Hostile::default() };
        assert!(matches!(start_tls(&mut directory), Err(Fault::Refused { what: "StartTLS", .. })), "{code}");
    }
    for does in [bound(0), Does::Closes] {
        let mut directory = Hostile { does: [does].into(), ..Hostile::default() };
        start_tls(&mut directory).unwrap_err();
    }
}

proptest::proptest! {
    #[test]
    fn whatever_comes_ends_in_an_answer_or_a_fault(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let _answer = asked(false, vec![Does::Sends(bytes.clone())]);
        let _answer = asked(true, vec![bound(0), Does::Sends(bytes)]);
    }
}
