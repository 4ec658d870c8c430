//! A notice as a mail: plain text, all words ours, nothing in it that approves by itself.

use std::{fmt::Write as _, time::Duration};

use chancery_types::{IdentityId, wire::notices::Notice};

use super::shape::{sentence, what_happened};
use crate::{Error, Result, outbound::Mail, time::parse_rfc3339};

/// Characters of an address, and of what stands before its `@`, as RFC 5321 has them.
const ADDRESS_MAX: usize = 254;
const LOCAL_MAX: usize = 64;

/// The mail to one address that is a target.
pub(super) fn of(to: &str, notice: &Notice, wait: Duration) -> Result<Mail> {
    let why = "Two persons who administer the\nserver decide who gets these.";
    with_notice((to, notice.uuid.to_string()), notice, why, wait)
}

/// The mail to somebody's own mailbox.
pub(super) fn personal(to: &str, whose: IdentityId, notice: &Notice, wait: Duration) -> Result<Mail> {
    let why =
        "You get these\nbecause you confirmed this address; what comes here you choose under Notices, My mailbox.";
    with_notice((to, format!("{}.{whose}", notice.uuid)), notice, why, wait)
}

/// The mail by which somebody confirms that an address is its own. Nothing in it confirms by itself.
pub(super) fn with_code(to: &str, code: &str, now_ms: i64, wait: Duration) -> Mail {
    let text = format!(
        "Somebody who is logged in to Chancery wants to have notices sent to this address.\n\nIf that is you, enter this \
         code there within 15 minutes:\n\n    {code}\n\nIf it is not you, do nothing: without the code nothing more is \
         sent here.\n\n-- \nChancery sends this, and reads no answers. Tell nobody the code.\n"
    );
    let id = uuid::Builder::from_random_bytes(chancery_keys::random()).into_uuid().to_string();
    let subject = "Chancery: a code to confirm this address".to_owned();
    Mail { to: to.to_owned(), id, at_ms: now_ms, subject, text, wait }
}

fn with_notice((to, id): (&str, String), notice: &Notice, why: &str, wait: Duration) -> Result<Mail> {
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
        "\n-- \nChancery sends this, and reads no answers. Nothing is approved by a mail. {why}\nNotice {}\n",
        notice.uuid
    );
    Ok(Mail {
        to: to.to_owned(),
        id,
        at_ms: parse_rfc3339(&notice.time).ok_or_else(|| Error::internal("a notice has no time"))?,
        subject: format!("Chancery: {}", what_happened(notice)),
        text,
        wait,
    })
}

/// An address in the form that needs no quotes: letters, digits and some signs, an `@`, and a name of DNS. Nothing that a
/// line of a header, or of SMTP, could end with.
pub(super) fn check_address(field: &str, address: &str) -> Result<()> {
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
    Err(Error::value(field, message))
}

#[cfg(test)]
mod tests {
    use chancery_types::{NoticeKind, NoticeObject};

    use super::{super::shape::tests::notice, *};

    fn check(address: &str) -> Result<()> {
        check_address("/email/address", address)
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
                let own = personal("a@b", IdentityId::from_u128(1), &notice, Duration::ZERO).unwrap();
                let mail = of("a@b", &notice, Duration::ZERO).unwrap();
                assert!(own.id != mail.id && own.id.starts_with(&mail.id) && own.subject == mail.subject);
                assert!(own.text.is_ascii() && own.text.lines().all(|line| line.len() < 200), "{}", own.text);
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

    #[test]
    fn a_code_comes_without_a_link_and_without_anybodys_words() {
        let mail = with_code("a@b", "7KDM-Q2XF", 1, Duration::ZERO);
        assert!(mail.text.contains("\n    7KDM-Q2XF\n") && mail.text.is_ascii(), "{}", mail.text);
        assert!(!mail.text.contains("http") && !mail.subject.contains("7KDM"), "{}", mail.text);
        assert_ne!(mail.id, with_code("a@b", "7KDM-Q2XF", 1, Duration::ZERO).id, "no two of them are the same mail");
    }
}
