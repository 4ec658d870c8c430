//! A notice as a mail: plain text, all words ours, nothing in it that approves by itself.

use std::{fmt::Write as _, time::Duration};

use chancery_types::wire::notices::{Mailbox, Notice};

use super::{
    post::Mail,
    shape::{sentence, what_happened},
};
use crate::{Error, Result, time::parse_rfc3339};

/// Characters of an address, and of what stands before its `@`, as RFC 5321 has them.
const ADDRESS_MAX: usize = 254;
const LOCAL_MAX: usize = 64;

/// The mail to one address.
pub(super) fn of(to: &str, notice: &Notice, wait: Duration) -> Result<Mail> {
    let mut text = format!("{}\n\nWhen: {}\n", sentence(notice), notice.time);
    if let Some(service) = notice.service_uuid {
        let _infallible = writeln!(text, "Signing service: {service}");
    }
    if let Some(not_after) = &notice.not_after {
        let _infallible = writeln!(text, "End: {not_after}");
    }
    if let Some(url) = &notice.url {
        let _infallible = write!(text, "\nTo look at it, log in:\n{url}\n");
    }
    let _infallible = write!(
        text,
        "\n-- \nChancery sends this, and reads no answers. Nothing is approved by a mail. Two persons who administer the\n\
         server decide who gets these.\nNotice {}\n",
        notice.uuid
    );
    Ok(Mail {
        to: to.to_owned(),
        id: notice.uuid.into(),
        at_ms: parse_rfc3339(&notice.time).ok_or_else(|| Error::internal("a notice has no time"))?,
        subject: format!("Chancery: {}", what_happened(notice)),
        text,
        wait,
    })
}

/// An address in the form that needs no quotes: letters, digits and some signs, an `@`, and a name of DNS. Nothing that a
/// line of a header, or of SMTP, could end with.
pub(super) fn check_address(mailbox: &Mailbox) -> Result<()> {
    let address = &mailbox.address;
    let atoms = |text: &str, max: usize, is_taken: fn(u8) -> bool| {
        text.len() <= max && text.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_taken))
    };
    let is_atext = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    let is_ldh = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let labels =
        |domain: &str| domain.split('.').all(|one| one.len() < 64 && !one.starts_with('-') && !one.ends_with('-'));
    let is_good = address.split_once('@').is_some_and(|(local, domain)| {
        atoms(local, LOCAL_MAX, is_atext) && atoms(domain, ADDRESS_MAX, is_ldh) && labels(domain)
    });
    if is_good && address.len() <= ADDRESS_MAX {
        return Ok(());
    }
    let message =
        format!("This is one address such as releases@example.org, of at most {ADDRESS_MAX} characters of ASCII.");
    Err(Error::value("/email/address", message))
}

#[cfg(test)]
mod tests {
    use chancery_types::{NoticeKind, NoticeObject};

    use super::{super::shape::tests::notice, *};

    fn check(address: &str) -> Result<()> {
        check_address(&Mailbox { address: address.to_owned() })
    }

    #[test]
    fn an_address_ends_no_line_and_needs_no_quotes() {
        for taken in ["a@b", "first.last+chancery@mail.example.org", "o'hara@example.org"] {
            check(taken).unwrap();
        }
        let long = format!("{}@example.org", "x".repeat(65));
        for refused in [
            "",
            "a",
            "@b",
            "a@",
            "a@b\r\nBcc: c@d",
            "a@b\n",
            "a b@c",
            "a@b@c",
            "<a@b>",
            "\"a\"@b",
            "a@[127.0.0.1]",
            "a@b..c",
            ".a@b",
            "a.@b",
            "a@-b",
            "a@b-",
            "a@b,c@d",
            "ä@b",
            "a@ä.org",
            "a\0@b",
            &long,
        ] {
            assert_eq!(check(refused).unwrap_err().field(), Some("/email/address"), "{refused}");
        }
    }

    #[test]
    fn a_mail_is_ascii_in_our_words_and_each_kind_has_a_subject() {
        for kind in NoticeKind::ALL {
            for object_kind in [None, Some(NoticeObject::SigningRequest), Some(NoticeObject::Certificate)] {
                let notice = Notice { kind: *kind, object_kind, ..notice() };
                let mail = of("a@b", &notice, Duration::ZERO).unwrap();
                assert!(mail.subject.starts_with("Chancery: ") && mail.subject.len() < 75, "{}", mail.subject);
                assert!(mail.subject.bytes().all(|byte| (32..127).contains(&byte)), "{}", mail.subject);
                assert!(
                    mail.text.is_ascii() && mail.text.contains("log in:\nhttps://kms.example.org/#/"),
                    "{}",
                    mail.text
                );
                assert!(!mail.text.contains('\r') && mail.text.lines().all(|line| line.len() < 200), "{}", mail.text);
            }
        }
    }
}
