//! What of the settings the audit records tell of a start: who can reach the server, whom it believes, what was set
//! otherwise than by default. No path, no address of a database: there may be a password in it.

use serde_json::{Value, json};

use super::Settings;

/// Items of a list; more are counted.
const ITEMS_MAX: usize = 50;

impl Settings {
    /// In the names of the flags.
    pub(crate) fn recorded(&self) -> Value {
        json!({
            "store": if self.store.path().is_some() { "SQLite" } else { "PostgreSQL" },
            "listen": self.listen,
            "plain-listen": self.plain_listen,
            "client-cert-listen": self.client_cert_listen,
            "public-listen": self.public_listen,
            "public-url": self.public_url,
            "log-name": self.log_name,
            "own-tls": self.tls.is_none(),
            "journal-keep-days": self.journal.keep_days,
            "token-lifetime": self.limits.token_lifetime.as_secs(),
            "time-stamp-authorities": self.time_stamp_urls.len(),
            "witnesses": self.witnesses.iter().map(|witness| witness.key.name()).collect::<Vec<_>>(),
            "no-deliveries": self.no_deliveries,
            "audit-files": self.audit_files.is_some(),
            "smtp-host": self.smtp.as_ref().map(|smtp| &smtp.host),
            "trusted-proxies": bounded(&self.given.proxies),
            "limits": bounded(&self.given.limits),
        })
    }
}

fn bounded(items: &[String]) -> Vec<String> {
    let mut told: Vec<_> = items.iter().take(ITEMS_MAX).cloned().collect();
    if items.len() > ITEMS_MAX {
        told.push(format!("{} more", items.len() - ITEMS_MAX));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::{super::Options, *};

    #[test]
    fn the_password_of_a_database_is_not_told_and_lists_are_bounded() {
        let options = Options {
            store: Some("postgres://chancery:hunter2@db.example/chancery".to_owned()),
            limit: Some(vec!["page-size-max=7".to_owned()]),
            trusted_proxies: Some(vec!["10.0.0.0/8".to_owned(); 60]),
            ..Options::default()
        };
        let told = options.resolve().unwrap().recorded();
        assert!(!told.to_string().contains("hunter2"), "{told}");
        assert_eq!((&told["store"], &told["limits"]), (&json!("PostgreSQL"), &json!(["page-size-max=7"])));
        let proxies = told["trusted-proxies"].as_array().unwrap();
        assert_eq!((proxies.len(), &proxies[50]), (51, &json!("10 more")));
    }
}
