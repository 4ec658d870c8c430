//! The Reliable Event Logging Protocol, as far as a sender needs it
//! (<https://github.com/rsyslog/librelp/blob/master/doc/relp.html>): a session is opened, each message is a command that the
//! receiver answers with a status of its own, and the session is closed.

use std::{
    error::Error,
    io::{Read, Write},
};

/// What is offered when a session is opened.
const OFFERS: &str = concat!("relp_version=0\nrelp_software=chancery,", env!("CARGO_PKG_VERSION"), "\ncommands=syslog");

/// Bytes of one answer: a status, some words, and at the beginning the receiver's offers.
const ANSWER_MAX: usize = 4 * 1024;

/// Digits of a number in a frame.
const DIGITS_MAX: usize = 9;

/// Letters of a command.
const COMMAND_MAX: usize = 32;

const NO_RELP: &str = "what it answers is no RELP";

type Failure = Box<dyn Error + Send + Sync>;

/// What the receiver sends.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
    transaction: usize,
    command: String,
    data: Vec<u8>,
}

/// Sends all messages in one session, and waits until each is acknowledged. What a receiver answers to a session's messages
/// fits into what a socket holds, so it is read after they are sent.
pub(crate) fn send(stream: &mut (impl Read + Write), messages: &[String]) -> Result<(), Failure> {
    stream.write_all(&frame(1, "open", OFFERS))?;
    stream.flush()?;
    acknowledged(stream, 1)?;
    let frames: Vec<u8> =
        messages.iter().zip(2..).flat_map(|(message, number)| frame(number, "syslog", message)).collect();
    stream.write_all(&frames)?;
    stream.flush()?;
    let last = messages.len() + 1;
    for number in 2..=last {
        acknowledged(stream, number)?;
    }
    // All have come. Whether the receiver hears the end and says so changes nothing.
    let _heard = stream.write_all(&frame(last + 1, "close", "")).and_then(|()| stream.flush());
    let _said = acknowledged(stream, last + 1);
    Ok(())
}

/// The transaction's number, the command, how many octets of data there are, the data, and a line's end.
fn frame(number: usize, command: &str, data: &str) -> Vec<u8> {
    let space = if data.is_empty() { "" } else { " " };
    format!("{number} {command} {}{space}{data}\n", data.len()).into_bytes()
}

/// Reads the answer to a command, which has a status first: 200 where it was taken.
fn acknowledged(stream: &mut impl Read, number: usize) -> Result<(), Failure> {
    let Frame { transaction, command, data } = read_frame(stream)?;
    if command == "serverclose" {
        return Err("the receiver ends the session before it has acknowledged all messages".into());
    }
    if command != "rsp" || transaction != number {
        return Err(format!("the receiver answers {command} {transaction} where rsp {number} was due").into());
    }
    let text = String::from_utf8_lossy(&data);
    let status = text.split([' ', '\n']).next().unwrap_or_default();
    if status != "200" {
        return Err(format!("the receiver answers by RELP: {}", text.lines().next().unwrap_or_default()).into());
    }
    Ok(())
}

fn read_frame(stream: &mut impl Read) -> Result<Frame, Failure> {
    let (transaction, _) = read_number(stream)?;
    let mut command = String::new();
    loop {
        match read_byte(stream)? {
            b' ' if !command.is_empty() => break,
            letter if letter.is_ascii_alphabetic() && command.len() < COMMAND_MAX => command.push(char::from(letter)),
            _ => return Err(NO_RELP.into()),
        }
    }
    let (length, mut end) = read_number(stream)?;
    if length > ANSWER_MAX {
        return Err(NO_RELP.into());
    }
    let mut data = vec![0; length];
    // Where there are no data, their space may be absent, too.
    if end == b' ' {
        stream.read_exact(&mut data)?;
        end = read_byte(stream)?;
    } else if length > 0 {
        return Err(NO_RELP.into());
    }
    if end != b'\n' {
        return Err(NO_RELP.into());
    }
    Ok(Frame { transaction, command, data })
}

/// A number, and the byte behind it.
fn read_number(stream: &mut impl Read) -> Result<(usize, u8), Failure> {
    let mut digits = String::new();
    loop {
        match read_byte(stream)? {
            digit if digit.is_ascii_digit() && digits.len() < DIGITS_MAX => digits.push(char::from(digit)),
            end if matches!(end, b' ' | b'\n') && !digits.is_empty() => return Ok((digits.parse()?, end)),
            _ => return Err(NO_RELP.into()),
        }
    }
}

fn read_byte(stream: &mut impl Read) -> Result<u8, Failure> {
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    Ok(byte[0])
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor};

    use super::*;

    /// A receiver that has said what it will say.
    struct Said {
        answers: Cursor<Vec<u8>>,
        heard: Vec<u8>,
    }

    impl Read for Said {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.answers.read(buffer)
        }
    }

    impl Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.heard.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn sent(answers: &str, messages: &[&str]) -> (Result<(), String>, String) {
        let mut stream = Said { answers: Cursor::new(answers.into()), heard: Vec::new() };
        let messages: Vec<_> = messages.iter().map(|message| (*message).to_owned()).collect();
        let came = send(&mut stream, &messages).map_err(|why| why.to_string());
        (came, String::from_utf8(stream.heard).unwrap())
    }

    const OPENED: &str =
        "1 rsp 93 200 OK\nrelp_version=0\nrelp_software=librelp,1.11.0,http://librelp.adiscon.com\ncommands=syslog\n";

    /// The exchange of librelp's documentation and of rsyslog 8.2302.
    #[test]
    fn each_message_is_a_command_that_is_acknowledged() {
        let answers = format!("{OPENED}2 rsp 6 200 OK\n3 rsp 6 200 OK\n4 rsp 0\n0 serverclose 0\n");
        let (came, heard) = sent(&answers, &["<110>1 a\nb", "ü"]);
        assert_eq!(came, Ok(()));
        let opened = frame(1, "open", OFFERS);
        let rest = heard.strip_prefix(std::str::from_utf8(&opened).unwrap()).unwrap();
        assert_eq!(rest, "2 syslog 10 <110>1 a\nb\n3 syslog 2 ü\n4 close 0\n");
        assert_eq!(sent(&format!("{OPENED}2 rsp 6 200 OK\n"), &["a"]).0, Ok(()), "one that says no farewell");
    }

    #[test]
    fn what_is_not_acknowledged_is_a_failure() {
        for (answers, why) in [
            (format!("{OPENED}2 rsp 6 200 OK\n3 rsp 13 500 disk full\n"), "500 disk full"),
            (format!("{OPENED}2 rsp 6 200 OK\n0 serverclose 0\n"), "ends the session"),
            (format!("{OPENED}3 rsp 6 200 OK\n2 rsp 6 200 OK\n"), "where rsp 2 was due"),
            (format!("{OPENED}2 rsp 6 200 OK\n"), "fill whole buffer"),
            ("1 rsp 19 500 no such version\n".to_owned(), "500 no such version"),
            ("1 rsp 999999999 200 OK".to_owned(), "no RELP"),
            ("1 rsp 9999999999 200 OK".to_owned(), "no RELP"),
            ("1 rsp 6 200 OKx".to_owned(), "no RELP"),
            ("1 rsp 6\n200 OK\n".to_owned(), "no RELP"),
            ("HTTP/1.1 400 Bad Request\r\n".to_owned(), "no RELP"),
            (format!("1 {} 0\n", "r".repeat(100)), "no RELP"),
            (String::new(), "fill whole buffer"),
        ] {
            let failure = sent(&answers, &["a", "b"]).0.unwrap_err();
            assert!(failure.contains(why), "{answers}: {failure}");
        }
    }
}
