//! How notices and audit records leave this server, as the settings say.

use std::{net::IpAddr, sync::Arc};

use chancery_client::{Allowed, ClientError, SyslogSender, WebhookPoster, system_authorities};
use chancery_core::{Append, Mail, Network, NoticeConfig, NoticeTransport, Post, Posted, Syslog};

use crate::{
    audit_files::AuditFiles,
    bounded,
    failure::{Failure, describe},
    mail::Mailer,
    settings::Settings,
};

/// Said where no authority is trusted.
const NO_AUTHORITIES: &str = "this system has no file with TLS authorities; --notice-ca or SSL_CERT_FILE may name one";

struct Transport {
    /// None where no authority is trusted: then no server elsewhere is.
    webhooks: Option<WebhookPoster>,
    syslog: Option<SyslogSender>,
    mails: Option<Mailer>,
    files: Option<AuditFiles>,
}

impl NoticeTransport for Transport {
    fn post(&self, post: Post) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>> {
        let Post { url, headers, body, answer_max, wait } = post;
        let webhooks = self.webhooks.as_ref();
        let webhooks = webhooks.ok_or(NO_AUTHORITIES)?;
        let (status, body, is_whole) = webhooks.post(&url, &headers, &body, answer_max, wait)?;
        Ok(Posted { status, body, is_whole })
    }

    fn sends_mails(&self) -> bool {
        self.mails.is_some()
    }

    fn mail(&self, mail: Mail) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>> {
        let mails =
            self.mails.as_ref().ok_or("this server was started without an SMTP relay; --smtp-host names one")?;
        mails.send(mail)
    }

    fn syslog(&self, syslog: Syslog) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let Syslog { host, port, messages, transport, wait } = syslog;
        self.syslog.as_ref().ok_or(NO_AUTHORITIES)?.send(&host, port, &messages, transport, wait)
    }

    fn append(&self, append: Append) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let files = self.files.as_ref();
        let files = files.ok_or("this server was started without a folder for files; --audit-files names one")?;
        files.append(&append.name, &append.lines)
    }
}

/// As the settings say.
pub(crate) fn config(settings: &Settings) -> Result<NoticeConfig, Failure> {
    let console = settings.public_origin.clone();
    if settings.no_deliveries {
        return Ok(NoticeConfig { transport: None, console });
    }
    let authorities = match &settings.notice_ca {
        Some(path) => Some(bounded::file("--notice-ca", path)?),
        None => system_authorities().map(String::into_bytes),
    };
    let wait = settings.limits.notices.wait_max;
    let mails = settings.smtp.as_ref().map(|smtp| Mailer::new(smtp, wait, authorities.as_deref())).transpose()?;
    let allowed = public_or_listed(&settings.notice_networks);
    // What it would say to somebody who gave --ca is not meant for whoever gave this.
    let named = |why: ClientError| -> Failure {
        let file = settings.notice_ca.as_deref();
        let file = file.map_or("the system's TLS authorities".to_owned(), |file| bounded::named("--notice-ca", file));
        format!("{file}: {}", describe(&why)).into()
    };
    let poster = |pem: &Vec<u8>| WebhookPoster::new(pem, Arc::clone(&allowed), "--notice-networks").map_err(named);
    let webhooks = authorities.as_ref().map(poster).transpose()?;
    let sender = |pem: &Vec<u8>| SyslogSender::new(pem, Arc::clone(&allowed)).map_err(named);
    let syslog = authorities.as_ref().map(sender).transpose()?;
    let files = settings.audit_files.clone().map(AuditFiles::new);
    Ok(NoticeConfig { transport: Some(Arc::new(Transport { webhooks, syslog, mails, files })), console })
}

/// Addresses on the Internet, and those of networks that whoever starts the server lists.
pub(crate) fn public_or_listed(networks: &[Network]) -> Allowed {
    let networks = networks.to_vec();
    Arc::new(move |address: IpAddr| {
        let address = address.to_canonical();
        is_public(address) || networks.iter().any(|network| network.holds(address))
    })
}

/// Whether an address is one on the Internet, by the registries of IANA for special purposes: nobody who names a target
/// reaches a private network by that, nor this machine.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            let special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_multicast()
                || address.is_broadcast()
                || address.is_documentation();
            // "This network", shared addresses, IETF assignments, benchmarks, 6to4 relays, reserved.
            let more = a == 0
                || (a == 100 && b & 0xc0 == 64)
                || (a, b, c) == (192, 0, 0)
                || (a == 198 && b & 0xfe == 18)
                || (a, b, c) == (192, 88, 99)
                || a >= 240;
            !special && !more
        }
        IpAddr::V6(address) => {
            let [a, b, ..] = address.segments();
            // Global unicast but for what translates or tunnels to IPv4 (64:ff9b::/96 is outside), Teredo and what lies
            // beside it, 6to4, and documentation.
            a & 0xe000 == 0x2000
                && !(a == 0x2001 && b < 0x200)
                && (a, b) != (0x2001, 0xdb8)
                && a != 0x2002
                && a != 0x3fff
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_on_the_internet_are_public() {
        for public in ["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "127.0.0.1",
            "127.255.255.255",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "0.1.2.3",
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "192.88.99.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "100::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
        let mapped: IpAddr = "::ffff:127.0.0.1".parse().unwrap();
        assert!(!is_public(mapped) && !is_public(mapped.to_canonical()));
    }
}
