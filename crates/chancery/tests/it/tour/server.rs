//! The server itself, who uses it, and what it publishes.

use std::{collections::BTreeSet, fs, io, time::Duration};

use chancery_client::{Client, StampFetcher};
use chancery_types::{
    Action, Base64, IdentityId, TokenProfileId,
    wire::{
        audit::AuditExportQuery,
        login::{ChangePassword, SessionState, TotpCredentials},
    },
};
use serde_json::json;

use super::{Tour, new_name, typed, workload::Workload};
use crate::client::totp::code;

impl Tour {
    pub(super) fn server(&self) {
        let client = &self.client;
        assert_eq!(client.by_hand(Client::health).status.to_string(), "ok");
        let _serves = client.by_hand(Client::readiness);
        assert!(client.by_hand(Client::metrics).contains("# TYPE"));
        assert_eq!(client.by_hand(Client::openapi)["info"]["title"], "Chancery");
        for (page, part) in [("/docs", "<html"), ("/docs/interface.md", "# The interface")] {
            let body = client.by_hand(move |client| client.body("GET", page, None));
            assert!(String::from_utf8(body).unwrap().contains(part), "{page}");
        }
        let state: SessionState = client.by_hand(Client::session_state);
        assert!(state.fully_logged_in);
    }

    pub(super) fn roles_and_identities(&self) {
        let client = &self.client;
        let role = answer!(
            client,
            create_role(),
            json!({"name": new_name(), "loginsRequired": 1, "perms": ["Signing:Approve"]})
        )
        .uuid;
        assert_eq!(answer!(client, change_role(role), json!({"perms": []})).perms, []);
        assert_eq!(answer!(client, role(role)).logins_required, 1);
        assert_eq!(answer!(client, roles(), json!({"search": "thing"})).results.len(), 1);
        let password = Base64::encode(b"an honest long password");
        let person = answer!(
            client,
            create_identity(),
            json!({"name": new_name(), "kind": "Person", "roleUuids": [role], "password": password})
        )
        .uuid;
        let name = new_name();
        let _renamed = answer!(client, change_identity(person), json!({"name": name}));
        let _set = answer!(client, set_password(person), json!({"password": password}));
        assert!(answer!(client, lock_identity(person), json!({})).locked);
        assert!(!answer!(client, unlock_identity(person), json!({})).locked);
        assert_eq!(answer!(client, identity(person)).role_uuids, [role]);
        assert!(answer!(client, identities(), json!({"pageSize": 2})).total > 2);
        let once = Base64::encode(b"a word for one use");
        let given = answer!(client, set_password(person), json!({"password": once, "oneTime": true}));
        assert!(given.one_time_password_until.is_some());
        let change: ChangePassword = typed(&json!({"username": name, "password": once, "newPassword": password}));
        client.by_hand(move |client| client.change_password(&change));
        let who = |code: Option<String>| -> TotpCredentials {
            typed(&json!({"username": name, "password": password, "totp": code}))
        };
        let enrol = || {
            let who = who(None);
            client.by_hand(move |client| client.enrol_totp(&who)).secret
        };
        let secret = enrol();
        let confirmed = who(Some(code(&secret, "now")));
        client.by_hand(move |client| client.confirm_totp(&confirmed));
        assert!(answer!(client, identity(person)).totp.is_some());
        // Each code is good once; that of the step after is good already.
        let removed = who(Some(code(&secret, "30 seconds")));
        client.by_hand(move |client| client.remove_totp(&removed));
        let _secret = enrol();
        assert_eq!(answer!(client, reset_totp(person)).totp, None);
        let key = answer!(client, create_api_key(person), json!({"name": "script"}));
        assert!(key.api_key.starts_with("chk_"));
        let changed = answer!(client, change_api_key(person, key.uuid), json!({"networks": ["10.0.0.0/8"]}));
        assert_eq!(changed.networks, ["10.0.0.0/8"]);
        let rotated = answer!(client, rotate_api_key(person, key.uuid), json!({"overlapSeconds": 60}));
        assert!(rotated.previous_until.is_some());
        assert_eq!(answer!(client, api_keys(person)).results[0].version, 2);
        let _gone = answer!(client, delete_api_key(person, key.uuid));
        assert_eq!(answer!(client, passkeys(person)).results, []);
        self.identity_providers(person);
        self.login_by_a_provider(person);
        let _gone = answer!(client, delete_identity(person));
        let _gone = answer!(client, delete_role(role));
    }

    fn identity_providers(&self, identity: IdentityId) {
        let (client, workload) = (&self.client, Workload::new());
        let described = json!({"name": new_name(), "issuer": workload.issuer, "audiences": ["us"],
            "algorithms": ["EdDSA"], "jwks": workload.jwks});
        let provider = answer!(client, create_identity_provider(), described).obj_info.uuid;
        assert!(!answer!(client, change_identity_provider(provider), json!({"singleUse": false})).single_use);
        assert_eq!(answer!(client, identity_provider(provider)).issuer, workload.issuer);
        assert!(answer!(client, identity_providers(), json!({"search": "thing"})).total > 0);
        let asks = json!({"name": new_name(), "identityUuid": identity, "providerUuid": provider, "subject": "job"});
        let binding = answer!(client, create_identity_binding(), asks).obj_info.uuid;
        // What is exchanged would take the place of the administrators' session.
        let authority = fs::read(self.demo.text("/caFile")).unwrap();
        let apart = Client::new(self.demo.text("/base"), &authority).unwrap();
        assert!(apart.exchange_token(&workload.token()).unwrap().fully_logged_in);
        assert_eq!(answer!(client, identity_binding(binding)).subject.as_deref(), Some("job"));
        assert_eq!(answer!(client, identity_bindings(), json!({"identityUuid": identity})).total, 1);
        let _gone = answer!(client, delete_identity_binding(binding));
        let _gone = answer!(client, delete_identity_provider(provider));
    }

    pub(super) fn public_files(&self) {
        let client = &self.client;
        let root: String = self.id("rootCertificateUuid");
        let (certificate, list) = (format!("{root}.crt"), format!("{root}.crl"));
        assert!(client.by_hand(move |client| client.ca_file(&certificate)).starts_with(b"\x30"));
        assert!(client.by_hand(move |client| client.crl_file(&list)).starts_with(b"\x30"));
        // What is no request is refused in the answer, as RFC 6960 wants it.
        assert!(client.by_hand(|client| client.ocsp(b"no request")).starts_with(b"\x30"));
        let asked = |client: &Client| client.body("GET", "/ocsp/bm8gcmVxdWVzdA==", None);
        assert!(client.by_hand(asked).starts_with(b"\x30"));
        assert!(client.by_hand(Client::checkpoint).ends_with(b"\n"));
        assert!(client.by_hand(Client::log_key).contains(&b'+'));
        assert_eq!(client.by_hand(|client| client.log_tile("0/000.p/1")).len(), 32);
    }

    /// By the service, and by the one that answers where none is named.
    pub(super) fn time_stamps(&self, service: &str) {
        let authority = std::fs::read(self.demo.text("/caFile")).unwrap();
        for path in ["/tsa", &format!("/tsa/{service}")] {
            let (address, authority) = (format!("{}{path}", self.demo.text("/base")), authority.clone());
            // What is no request is refused in the answer, as RFC 3161 wants it.
            let ask = move |_: &Client| {
                StampFetcher::new(Some(&authority))?.post(&address, b"no request", 10_000, Duration::from_secs(60))
            };
            assert!(self.client.by_hand(ask).starts_with(b"\x30"), "{path}");
        }
    }

    pub(super) fn notices(&self) {
        let client = &self.client;
        let webhook = json!({"url": "https://127.0.0.1:9/", "shape": "Chancery"});
        let sent = json!({"name": new_name(), "webhook": webhook, "secret": Base64::encode(&[7; 32])});
        let target = answer!(client, create_notice_target(), sent).uuid;
        assert!(!answer!(client, change_notice_target(target), json!({"enabled": false})).enabled);
        assert!(answer!(client, notice_target(target)).has_secret);
        assert_eq!(answer!(client, notice_targets(), json!({"search": "thing"})).total, 1);
        let tested = answer!(client, test_notice_target(target), json!({}));
        assert!(!tested.delivered && tested.answer.contains("no public address"), "{tested:?}");
        assert!(answer!(client, notices(), json!({"kind": "Waiting", "pageSize": 2})).items.len() <= 2);
        assert_eq!(answer!(client, undelivered_notices(), json!({"targetUuid": target})).total, 0);
        let _gone = answer!(client, delete_notice_target(target));
        let sent = json!({"name": new_name(), "otlp": {"url": "https://127.0.0.1:9/"}, "firstSequence": 0});
        let target = answer!(client, create_audit_target(), sent).uuid;
        assert!(!answer!(client, change_audit_target(target), json!({"enabled": false})).enabled);
        assert_eq!(answer!(client, audit_target(target)).shipping.next_sequence, 0);
        assert_eq!(answer!(client, audit_targets(), json!({"search": "thing"})).total, 1);
        let tested = answer!(client, test_audit_target(target), json!({}));
        assert!(!tested.delivered && tested.answer.contains("no public address"), "{tested:?}");
        let _gone = answer!(client, delete_audit_target(target));
        let approver = &self.approver;
        let id = answer!(approver, whoami()).identities[0].uuid;
        let sent = json!({"address": "approver@example.org", "kinds": ["Waiting"]});
        assert!(answer!(approver, set_mailbox(id), sent).pending.is_some());
        let code = json!({"code": self.relay.code("approver@example.org")});
        assert!(answer!(approver, confirm_mailbox(id), code).enabled);
        assert_eq!(answer!(client, mailbox(id)).address.as_deref(), Some("approver@example.org"));
        let _gone = answer!(client, remove_mailbox(id));
    }

    pub(super) fn audit_and_settings(&self) {
        let client = &self.client;
        let asked = json!({"pageSize": 2, "action": "RoleCreate", "from": "2026-01-01T00:00:00Z"});
        let records = answer!(client, audit(), asked);
        assert_eq!(serde_json::to_value(&records.items[0]).unwrap()["outcome"], "Success");
        let asked = AuditExportQuery { action: Some(Action::RoleCreate), ..AuditExportQuery::default() };
        let read = move |client: &Client| client.export_audit(&asked).map(|lines| io::read_to_string(lines).unwrap());
        let lines = client.by_hand(read);
        assert!(lines.starts_with('{') && lines.contains(r#""action":"RoleCreate""#), "{lines}");
        let newest = answer!(client, audit_checkpoint());
        assert!(newest.records > 0 && newest.checkpoint.contains(&format!("\ncheckpoint {}\n", newest.number)));
        assert_eq!(answer!(client, audit_archives(), json!({"pageSize": 2})).items, []);
        let read = |client: &Client| client.audit_archive(None).map(|lines| io::read_to_string(lines).unwrap());
        assert_eq!(client.by_hand(read), "", "there is none");
        let asked = json!({"tokenProfileUuid": self.id::<TokenProfileId>("tokenProfileUuid"), "token": "4111"});
        assert_eq!(answer!(client, search_journal(), asked).items, []);
        let access = answer!(client, access(), json!({"right": "Administer", "search": "Admin1"}));
        assert_eq!(access.results[0].obj_info.name, "Admin1");
        let roles: BTreeSet<_> = access.results[0].rights.iter().map(|held| held.role.uuid.to_string()).collect();
        let asked = json!({"identityUuid": access.results[0].obj_info.uuid, "roleUuids": roles});
        assert!(answer!(client, access_effect(), asked).is_none());
        let as_of = &answer!(client, audit(), json!({"pageSize": 1})).items[0].time;
        let then = answer!(client, access(), json!({"asOf": as_of, "search": "Admin1"}));
        assert_eq!((then.as_of.as_ref(), then.uncertain.len()), (Some(as_of), 0));
        assert!(answer!(client, access_effect(), json!({"since": as_of})).is_none());
        assert_eq!(answer!(client, activity()).hours.len(), 24);
        assert_eq!(answer!(client, whoami()).identities[0].name, "Admin1");
        assert!(answer!(client, settings()).api_access);
        assert!(answer!(client, change_settings(), json!({"apiAccess": true})).api_access);
    }
}
