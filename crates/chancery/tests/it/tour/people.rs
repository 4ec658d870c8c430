//! Somebody who logs in by a provider that is not ours, and an approver who signs with a passkey.

use chancery_client::Client;
use chancery_testkit::Authenticator;
use chancery_types::{IdentityId, wire::passkeys::ApprovalStatements};
use serde_json::{Value, json};

use super::{CALLBACK, ORIGIN, Tour, new_name};

/// What approves: each statement, signed.
fn signed(by: &mut Authenticator, asked: &ApprovalStatements) -> Value {
    assert!(asked.demanded);
    let statements = asked.statements.iter().map(|one| by.sign(&serde_json::to_value(one).unwrap()));
    json!({"assertions": statements.collect::<Vec<_>>()})
}

impl Tour {
    pub(super) fn login_by_a_provider(&self, identity: IdentityId) {
        let client = &self.client;
        let described =
            json!({"name": new_name(), "issuer": self.provider.issuer(), "audiences": [], "clientId": "kms-public"});
        let provider = answer!(client, create_identity_provider(), described).obj_info;
        let uuid = provider.uuid;
        let asks = json!({"name": new_name(), "identityUuid": identity, "providerUuid": uuid, "subject": "carol.7"});
        let binding = answer!(client, create_identity_binding(), asks).obj_info.uuid;
        assert_eq!(client.by_hand(Client::oidc_providers), [provider]);
        let login = self.visitor.by_hand(move |client| client.begin_oidc(uuid));
        let back = self.provider.log_in(&login.authorization_url, Some("carol.7"));
        let (address, query) = back.split_once('?').unwrap();
        assert_eq!(address, CALLBACK);
        let query = query.to_owned();
        assert_eq!(self.visitor.by_hand(move |client| client.finish_oidc(login, &query)), "/");
        assert_eq!(answer!(self.visitor, whoami()).identities[0].uuid, identity);
        let _gone = answer!(client, delete_identity_binding(binding));
        let _gone = answer!(client, delete_identity_provider(uuid));
    }

    /// The approver's own, which the administrators confirm.
    pub(super) fn passkeys(&self) {
        let (client, approver) = (&self.client, &self.approver);
        let (identity, mut key) = (answer!(approver, whoami()).identities[0].uuid, Authenticator::new(ORIGIN));
        let begun = answer!(approver, begin_passkey(identity), json!({}));
        let credential = key.create(&serde_json::to_value(begun.public_key).unwrap());
        let sent = json!({"name": "laptop", "ticket": begun.ticket, "credential": credential});
        let made = answer!(approver, enrol_passkey(identity), sent);
        let passkey = made.obj_info.uuid;
        let named = json!({"publicKeySha256": made.public_key_sha256});
        assert!(answer!(client, confirm_passkey(identity, passkey), named).confirmed_at.is_some());
        let renamed = answer!(approver, rename_passkey(identity, passkey), json!({"name": "telephone"}));
        assert_eq!(renamed.obj_info.name, "telephone");
        self.signed_approvals(&mut key);
        assert_eq!(self.visitor.by_hand(Client::passkey_challenge).public_key.rp_id, "kms.example.org");
        assert!(answer!(client, passkeys(identity)).results[0].last_used_at.is_some());
        let _gone = answer!(client, delete_passkey(identity, passkey));
    }

    fn signed_approvals(&self, key: &mut Authenticator) {
        let (approver, service) = (&self.approver, self.new_service_of_signed_approvals());
        let request = self.submit_text(&service);
        let body = signed(key, &answer!(approver, approval_statement(request)));
        assert_eq!(answer!(approver, approve(request), body).state.to_string(), "Signed");
        let name = new_name();
        let renamed = json!({"objInfo": {"name": name}});
        let policy = answer!(self.client, change_signing_policy(service.policy_uuid.unwrap()), renamed);
        let change = policy.pending_change.unwrap().uuid;
        let body = signed(key, &answer!(approver, proposal_statement(change)));
        assert_eq!(answer!(approver, approve_proposal(change), body).state.to_string(), "Applied");
        assert_eq!(answer!(self.client, signing_policy(policy.obj_info.uuid)).obj_info.name, name);
    }
}
