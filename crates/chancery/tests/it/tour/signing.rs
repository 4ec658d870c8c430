//! Services, policies, signing requests and proposals.

use chancery_types::{
    Base64, CertificateId, Decision, PolicyId, ServiceId, SigningRequestId,
    wire::{proposals::Proposed, services::DeployedService, signing_requests::Include},
};
use chancery_verify::{decisions_statement, log::leaf::sha256, policy_digest};
use serde_json::{Value, json};

use super::{Tour, new_name};

impl Tour {
    fn signing_cert(&self, issuer: CertificateId) -> Value {
        json!({
            "issuerUuid": issuer,
            "subjectOneline": format!("CN={}", new_name()),
            "newKey": {"keyTypeUuid": self.key_type("EC P-256 Signing"), "save": true},
            "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
        })
    }

    fn deployment(&self, format: &str, approvals: u32, issuer: CertificateId) -> Value {
        json!({
            "template": "PKI Signing",
            "name": new_name(),
            "pkisigning": {
                "newCert": self.signing_cert(issuer),
                "signingFormat": format,
                "numApprovals": approvals,
                "hashAlgorithm": "Sha2_256",
            },
        })
    }

    fn deploy(&self, format: &str, approvals: u32, issuer: CertificateId) -> DeployedService {
        answer!(self.client, deploy(), self.deployment(format, approvals, issuer))
    }

    /// Whose approvals are signed with passkeys.
    pub(super) fn new_service_of_signed_approvals(&self) -> DeployedService {
        let mut sent = self.deployment("CMS", 1, self.id("rootCertificateUuid"));
        sent["pkisigning"]["rules"] = json!({"signedApprovals": true});
        answer!(self.client, deploy(), sent)
    }

    fn new_service(&self, format: &str, approvals: u32) -> DeployedService {
        self.deploy(format, approvals, self.id("rootCertificateUuid"))
    }

    pub(super) fn services(&self) {
        let client = &self.client;
        let uuid = self.deploy("CMS", 0, self.new_authority()).service_uuid;
        assert!(answer!(client, service(uuid)).obj_info.name.starts_with("thing"));
        assert_eq!(answer!(client, issuance_policy(uuid)).approval.num_approvals, 0);
        let _same = answer!(client, change_issuance_policy(uuid), json!({"numApprovals": 0}));
        let two_years = json!({"validityPeriod": {"unit": "Year", "amount": "2"}});
        assert!(answer!(client, renew_service(uuid), two_years).certificate_uuid.is_some());
        let revoked = answer!(client, revoke_service(uuid), json!({"reason": "superseded"}));
        assert_eq!(revoked.status.to_string(), "Revoked");
        assert_eq!(answer!(client, services(), json!({"search": "thing"})).results.len(), 1);
        assert_eq!(answer!(client, service_stubs(), json!({"search": "thing"})).results.len(), 1);
        let stamps = json!({
            "template": "Time Stamping",
            "name": new_name(),
            "timestamping": {"newCert": self.signing_cert(self.id("rootCertificateUuid")), "default": true},
        });
        let stamps: ServiceId = answer!(client, deploy(), stamps).service_uuid;
        let changed = answer!(client, change_service(stamps), json!({"timestamping": {"default": true}}));
        assert!(changed.timestamping.default);
        self.time_stamps(&stamps.to_string());
    }

    pub(super) fn signing_policies(&self) {
        let client = &self.client;
        let made = self.new_service("CMS", 0);
        let (service, first) = (made.service_uuid, made.policy_uuid.unwrap());
        let sent = json!({"name": new_name(), "numApprovals": 2, "hashAlgorithm": "Sha2_512"});
        let policy = answer!(client, create_signing_policy(service), sent).obj_info.uuid;
        assert_eq!(answer!(client, signing_policy(policy)).obj_info.uuid, policy);
        assert_eq!(answer!(client, signing_policy_budgets(policy)).budgets, []);
        assert_eq!(answer!(client, signing_policies(service)).items.len(), 2);
        // Whatever a policy says takes effect once it is approved.
        let changed = answer!(client, change_signing_policy(first), json!({"objInfo": {"name": new_name()}}));
        assert!(changed.obj_info.uuid == first && changed.pending_change.is_some());
    }

    fn submit(&self, service: &DeployedService, mut content: Value) -> SigningRequestId {
        content["name"] = json!(new_name());
        content["serviceUuid"] = json!(service.service_uuid);
        content["policyUuid"] = json!(service.policy_uuid);
        answer!(self.client, submit(), content).uuid
    }

    pub(super) fn submit_text(&self, service: &DeployedService) -> SigningRequestId {
        self.submit(service, json!({"uploadData": "aGVsbG8=", "metadata": {"branch": "tour"}}))
    }

    /// One decision over two requests; where the second of them stands then.
    fn decides_as_one(&self, service: &DeployedService) -> String {
        let (client, uuids) = (&self.client, [self.submit_text(service), self.submit_text(service)]);
        let policy = service.policy_uuid.unwrap();
        let state = serde_json::to_value(answer!(client, signing_policy(policy))).unwrap();
        let of = uuids.map(|uuid| (uuid, answer!(client, signing_request(uuid)).approval_digest.0));
        let rows = of.iter().map(|(uuid, digest)| (*uuid, digest.as_slice()));
        let text = decisions_statement(Decision::Approve, (policy, &policy_digest(state)), rows);
        let digest = Base64::encode(&sha256(text.as_bytes()));
        let decided =
            answer!(client, decide_requests(), json!({"uuids": uuids, "decision": "Approve", "digest": digest}));
        decided.results[1].state.to_string()
    }

    pub(super) fn signing_requests(&self) {
        let client = &self.client;
        let service = self.new_service("CMS", 1);
        let uuid = self.submit_text(&service);
        assert!(!answer!(client, approval_statement(uuid)).demanded);
        assert_eq!(answer!(client, approve(uuid), json!({"note": "read it"})).state.to_string(), "Signed");
        assert_eq!(answer!(client, signing_request(uuid)).metadata.unwrap()["branch"], "tour");
        let inside = client.by_hand(move |client| client.signing_request_with(uuid, Include::Contents));
        assert_eq!(inside.contents.unwrap().signatures_total, 0);
        let denied = answer!(client, deny(self.submit_text(&service)), json!({}));
        assert_eq!(denied.state.to_string(), "Denied");
        let withdrawn = answer!(client, withdraw(self.submit_text(&service)), json!({"note": "not yet"}));
        assert_eq!(withdrawn.state.to_string(), "Denied");
        let decision = json!({"uuids": [self.submit_text(&service)], "decision": "Approve"});
        let decided = answer!(client, decide_requests(), decision);
        assert_eq!(decided.results[0].error_code.to_string(), "Success");
        assert_eq!(self.decides_as_one(&service), "Signed");
        let asked = json!({"metadata": {"branch": "tour"}, "state": "Denied"});
        assert_eq!(answer!(client, signing_requests(), asked).items.len(), 2);
        let of_service = answer!(client, signing_requests_of(service.service_uuid), json!({"state": "Signed"}));
        assert_eq!(of_service.total, 4);
        let items = json!({"items": [{"name": "a", "digest": Base64::encode(&[0; 32])}]});
        let manifest = self.submit(&service, items);
        assert_eq!(answer!(client, signed_items_page(manifest), json!({})).items[0].name, "a");
        let script = self.submit_text(&self.new_service("Powershell", 0));
        let signed = client.by_hand(move |client| client.signed_file(script));
        assert!(String::from_utf8_lossy(&signed).contains("hello"));
    }

    pub(super) fn failed_request(&self) {
        let client = &self.client;
        let service = self.new_service("CMS", 1);
        let uuid = self.submit_text(&service);
        let certificate = service.certificate_uuid.unwrap();
        let _revoked = answer!(client, revoke_certificate(certificate), json!({"reason": "superseded"}));
        assert_eq!(answer!(client, approve(uuid), json!({})).state.to_string(), "Failed");
        let _renewed = answer!(client, renew_service(service.service_uuid), json!({}));
        let again = answer!(client, repeat(uuid), json!({})).uuid;
        assert_eq!(answer!(client, signing_request(again)).repeats_uuid, Some(uuid));
    }

    fn pre_approval(&self, policy: PolicyId) -> Proposed {
        let digest = Base64::encode(&rand::random::<[u8; 32]>());
        let sent = json!({"name": new_name(), "policyUuid": policy, "digests": [digest]});
        answer!(self.client, propose_pre_approval(), sent)
    }

    /// Of a profile that demands an approval.
    fn certificate_proposal(&self) -> chancery_types::ProposalId {
        let profile = self.new_cert_profile(1);
        let issued = answer!(self.client, generate_certificate(), self.certificate_body(profile));
        let chancery_types::wire::approval::Issued::Waits(waits) = issued else { panic!("{issued:?}") };
        waits.uuid
    }

    pub(super) fn proposals(&self) {
        let client = &self.client;
        let policy = self.new_service("CMS", 1).policy_uuid.unwrap();
        let approved = self.pre_approval(policy).uuid;
        let state = |proposed: Proposed| proposed.state.to_string();
        let read = json!({"note": "read it"});
        assert!(!answer!(self.approver, proposal_statement(approved)).demanded);
        assert_eq!(state(answer!(self.approver, approve_proposal(approved), read.clone())), "Active");
        assert_eq!(state(answer!(client, approve_proposal(self.certificate_proposal()), read)), "Issued");
        assert_eq!(answer!(client, proposal(approved)).kind.to_string(), "PreApproval");
        assert_eq!(state(answer!(client, revoke_proposal(approved), json!({}))), "Revoked");
        assert_eq!(state(answer!(client, deny_proposal(self.pre_approval(policy).uuid), json!({}))), "Denied");
        assert_eq!(state(answer!(client, withdraw_proposal(self.pre_approval(policy).uuid), json!({}))), "Denied");
        assert_eq!(state(answer!(client, approve_certificate(self.certificate_proposal()), json!({}))), "Issued");
        let decision = json!({"uuids": [self.certificate_proposal()], "decision": "Approve"});
        let decided = answer!(client, decide_proposals(), decision);
        assert_eq!(decided.results[0].error_code.to_string(), "Success");
        let asked = json!({"kind": "PreApproval", "policyUuid": policy});
        assert_eq!(answer!(client, proposals(), asked).total, 3);
    }
}
