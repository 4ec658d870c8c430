//! The relay that notices are mailed by.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Deserialize;

use super::Options;
use crate::failure::Failure;

/// The relay, and from whom mails are.
#[derive(Clone, Debug)]
pub(crate) struct Smtp {
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) tls: SmtpTls,
    /// As whom, and the file with the password.
    pub(crate) login: Option<(String, PathBuf)>,
    pub(crate) from: String,
}

/// How the connection to the relay is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SmtpTls {
    /// From STARTTLS on, and not at all without it.
    #[default]
    Starttls,
    /// From the beginning.
    Tls,
    /// Not at all: a relay on this machine.
    None,
}

/// What was given together.
pub(super) fn of(options: &Options) -> Result<Option<Smtp>, Failure> {
    let Options { smtp_host, smtp_port, smtp_tls, smtp_user, smtp_password_file, smtp_from, .. } = options;
    let Some(host) = smtp_host.clone() else {
        let given = smtp_port.is_some()
            || smtp_tls.is_some()
            || smtp_user.is_some()
            || smtp_password_file.is_some()
            || smtp_from.is_some();
        return if given {
            Err("the options --smtp-… need --smtp-host, which names the relay".into())
        } else {
            Ok(None)
        };
    };
    let from = smtp_from.clone().ok_or("--smtp-host needs --smtp-from: from whom mails are")?;
    let tls = smtp_tls.unwrap_or_default();
    let login = match (smtp_user.clone(), smtp_password_file.clone()) {
        (Some(_), Some(_)) if tls == SmtpTls::None => {
            return Err(
                "--smtp-user: no password is sent without TLS; --smtp-tls none is for relays that need none".into()
            );
        }
        (Some(user), Some(file)) => Some((user, file)),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err("--smtp-user and --smtp-password-file go together".into()),
    };
    Ok(Some(Smtp { host, port: *smtp_port, tls, login, from }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_refused() {
        let text = |value: &str| Some(value.to_owned());
        let good =
            Options { smtp_host: text("mail.example.org"), smtp_from: text("a@example.org"), ..Options::default() };
        assert_eq!(of(&good).unwrap().unwrap().tls, SmtpTls::Starttls);
        assert!(of(&Options::default()).unwrap().is_none());
        for wrong in [
            Options { smtp_host: None, ..good.clone() },
            Options { smtp_from: None, ..good.clone() },
            Options { smtp_user: text("chancery"), ..good.clone() },
            Options { smtp_password_file: Some("password".into()), ..good.clone() },
            Options {
                smtp_user: text("chancery"),
                smtp_password_file: Some("password".into()),
                smtp_tls: Some(SmtpTls::None),
                ..good.clone()
            },
        ] {
            assert!(of(&wrong).is_err(), "{wrong:?}");
        }
    }
}
