//! Mails by the relay that the start options name.

use std::time::{Duration, SystemTime};

use chancery_core::{Mail, Posted};
use chancery_types::without_mark;
use lettre::{
    Message, SmtpTransport, Transport as _,
    message::{
        Mailbox,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{
        PoolConfig,
        authentication::Credentials,
        client::{Certificate, CertificateStore, Tls, TlsParameters},
        extension::ClientId,
    },
};

use crate::{
    bounded,
    failure::{Failure, While as _},
    settings::{Smtp, SmtpTls},
};

/// How long a connection to the relay is kept that nothing is sent by.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// Connections to the relay, as many as mails are sent at a time.
const CONNECTIONS_MAX: u32 = 8;

type Refused = Box<dyn std::error::Error + Send + Sync>;

/// Hands mails to one relay.
pub(crate) struct Mailer {
    transport: SmtpTransport,
    from: Mailbox,
}

impl Mailer {
    /// As the settings say; the relay must present a certificate of one of these authorities (PEM).
    pub(crate) fn new(smtp: &Smtp, wait: Duration, authorities: Option<&[u8]>) -> Result<Self, Failure> {
        let from: Mailbox = smtp.from.parse().map_err(|_| {
            format!(
                "--smtp-from {}: it is no address, such as chancery@example.org or Chancery <chancery@example.org>",
                smtp.from
            )
        })?;
        let tls = || -> Result<TlsParameters, Failure> {
            let authorities =
                authorities.ok_or("no TLS authorities are known; --notice-ca or SSL_CERT_FILE may name some");
            // Every certificate of the file.
            let authorities = without_mark(authorities.doing("--smtp-tls")?);
            let authorities = Certificate::from_pem(authorities).doing("--notice-ca")?;
            let tls = TlsParameters::builder(smtp.host.clone()).certificate_store(CertificateStore::None);
            tls.add_root_certificate(authorities).build_rustls().doing("--smtp-tls")
        };
        let (tls, port) = match smtp.tls {
            SmtpTls::Starttls => (Tls::Required(tls()?), 587),
            SmtpTls::Tls => (Tls::Wrapper(tls()?), 465),
            SmtpTls::None => (Tls::None, 25),
        };
        let mut builder = SmtpTransport::builder_dangerous(&smtp.host)
            .port(smtp.port.unwrap_or(port))
            .tls(tls)
            .timeout(Some(wait))
            .hello_name(ClientId::Domain(from.email.domain().to_owned()))
            .pool_config(PoolConfig::new().max_size(CONNECTIONS_MAX).idle_timeout(IDLE_MAX));
        if let Some((user, file)) = &smtp.login {
            let password = bounded::text("--smtp-password-file", file)?;
            let password = password.trim_end_matches(['\r', '\n']).to_owned();
            builder = builder.credentials(Credentials::new(user.clone(), password));
        }
        Ok(Self { transport: builder.build(), from })
    }

    /// Hands a mail over, and answers what the relay replied last.
    pub(crate) fn send(&self, mail: Mail) -> Result<Posted, Refused> {
        match self.transport.send(&self.message(mail)?) {
            Ok(reply) => Ok(Posted {
                status: reply.code().into(),
                body: reply.message().collect::<Vec<_>>().join(" ").into_bytes(),
                is_whole: true,
            }),
            Err(failure) => match failure.status() {
                Some(code) => {
                    let why = std::error::Error::source(&failure).map(ToString::to_string);
                    Ok(Posted { status: code.into(), body: why.unwrap_or_default().into_bytes(), is_whole: true })
                }
                None => Err(failure.into()),
            },
        }
    }

    /// The mail as it is sent. That it was made by no person keeps programs from answering it.
    fn message(&self, mail: Mail) -> Result<Message, Refused> {
        let Mail { to, id, at_ms, subject, text, wait: _ } = mail;
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(at_ms)?);
        let no_answers =
            HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to.parse()?))
            .subject(subject)
            .date(at)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .raw_header(no_answers)
            .header(ContentType::TEXT_PLAIN)
            .body(text)?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mailer() -> Mailer {
        let (host, from) = ("127.0.0.1".to_owned(), "Chancery <chancery@kms.example.org>".to_owned());
        let smtp = Smtp { host, port: None, tls: SmtpTls::None, login: None, from };
        Mailer::new(&smtp, Duration::from_secs(1), None).unwrap()
    }

    fn mail(to: &str) -> Mail {
        Mail {
            to: to.to_owned(),
            id: "00000000-0000-0000-0000-000000000007".to_owned(),
            at_ms: 1_767_225_600_000,
            subject: "Chancery: Signing request waits for approvals".to_owned(),
            text: "It waits.\n.\nAnd on.\n".to_owned(),
            wait: Duration::from_secs(1),
        }
    }

    #[test]
    fn the_same_notice_is_the_same_mail() {
        let formatted = || String::from_utf8(mailer().message(mail("a@example.org")).unwrap().formatted()).unwrap();
        let text = formatted();
        assert_eq!(text, formatted());
        for line in [
            "From: Chancery <chancery@kms.example.org>",
            "To: a@example.org",
            "Message-ID: <00000000-0000-0000-0000-000000000007@kms.example.org>",
            "Date: Thu, 01 Jan 2026 00:00:00 +0000",
            "Auto-Submitted: auto-generated",
            "Content-Type: text/plain; charset=utf-8",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
    }

    #[test]
    fn no_address_adds_a_header() {
        for wrong in ["a@b\r\nBcc: c@d", "a@b\nSubject: x", "a@b, c@d", "<a@b>"] {
            assert!(mailer().message(mail(wrong)).is_err(), "{wrong}");
        }
    }
}
