//! Certificates and their profiles.

use chancery_types::{
    CertProfileId, CertificateId,
    wire::x509::{CrlExportQuery, CrlFormat, DownloadFormat},
};
use serde_json::{Value, json};

use super::{Tour, documented, new_name};

impl Tour {
    /// The certificate profile of this name.
    pub(super) fn cert_profile(&self, name: &str) -> CertProfileId {
        let found = answer!(self.client, cert_profiles(), json!({"search": name}));
        found.results.into_iter().find(|found| found.obj_info.name == name).unwrap().obj_info.uuid
    }

    pub(super) fn certificate_body(&self, profile: CertProfileId) -> Value {
        json!({
            "certProfileUuid": profile,
            "issuerUuid": self.id::<CertificateId>("rootCertificateUuid"),
            "subjectOneline": format!("CN={}", new_name()),
            "newKey": {"keyTypeUuid": self.key_type("EC P-256 Signing"), "save": true},
            "certParams": {
                "validityPeriod": {"unit": "Day", "amount": "1"},
                "subjectAltNames": ["DNS:host.example"],
            },
        })
    }

    pub(super) fn new_authority(&self) -> CertificateId {
        let sent = json!({
            "certProfileUuid": self.cert_profile("Root Certificate Authority"),
            "subjectOneline": format!("CN={}", new_name()),
            "newKey": {"keyTypeUuid": self.key_type("EC P-256 Signing")},
            "trustCert": true,
        });
        answer!(self.client, generate_certificate(), sent).made().unwrap().certificate_uuid
    }

    pub(super) fn certificates(&self) {
        let client = &self.client;
        let root: CertificateId = self.id("rootCertificateUuid");
        let body = self.certificate_body(self.cert_profile("TLS Server"));
        let uuid = answer!(client, generate_certificate(), body).made().unwrap().certificate_uuid;
        let two_days = json!({"certParams": {"validityPeriod": {"unit": "Day", "amount": "2"}}});
        assert!(answer!(client, renew_certificate(uuid), two_days.clone()).made().is_some());
        assert!(answer!(client, rekey_certificate(uuid), two_days).made().is_some());
        let held = answer!(client, revoke_certificate(uuid), json!({"reason": "certificateHold"}));
        assert_eq!(held.status.to_string(), "Held");
        assert_eq!(answer!(client, release_certificate(uuid), json!({})).status.to_string(), "Valid");
        assert!(answer!(client, certificate(uuid)).subject.starts_with("CN=thing"));
        let chain = client.by_hand(move |client| client.download_certificate(root, DownloadFormat::Chain));
        assert!(chain.starts_with(b"-----BEGIN CERTIFICATE"));
        assert_eq!(answer!(client, certificates(), json!({"search": "thing", "status": "Valid"})).results.len(), 3);
        let request = json!({
            "serviceOrIssuerUuid": root,
            "certProfileUuid": self.cert_profile("Code Signing Certificate"),
            "csr": documented("csr", "csr"),
            "subjectOneline": format!("CN={}", new_name()),
        });
        assert!(answer!(client, request_certificate(), request).made().is_some());
        let lists = CrlExportQuery { issuer: Some(root), format: Some(CrlFormat::Der) };
        assert!(client.by_hand(move |client| client.export_crl(&lists)).starts_with(b"\x30"));
        self.imported_certificates();
    }

    fn imported_certificates(&self) {
        let client = &self.client;
        let certificates = json!({"certificates": documented("certificates", "certificates")});
        let imported = answer!(client, import_certificates(), certificates);
        assert!(imported.certificates[0].subject.starts_with("CN=Partner Root"));
        let authority = json!({
            "password": "ZXhhbXBsZQ==",
            "privateKey": documented("privateKey", "privateKey"),
            "certificates": documented("certificates", "privateKey"),
        });
        assert!(answer!(client, import_authority(), authority).key_uuid.is_some());
        let approval = json!({"numApprovals": 1, "selfApproval": "DualControl"});
        let demanded = answer!(client, change_issuer_approval(self.new_authority()), approval);
        assert_eq!(demanded.approval.num_approvals, 1);
    }

    pub(super) fn new_cert_profile(&self, approvals: u32) -> CertProfileId {
        let sent = json!({
            "objInfo": {"name": new_name()},
            "validityPeriod": {"unit": "Day", "amount": "30"},
            "keyUsages": ["digitalSignature"],
            "extendedKeyUsages": ["clientAuth"],
            "approval": {"numApprovals": approvals, "selfApproval": "DualControl"},
        });
        answer!(self.client, create_cert_profile(), sent).obj_info.uuid
    }

    pub(super) fn certificate_profiles(&self) {
        let client = &self.client;
        let uuid = self.new_cert_profile(0);
        assert_eq!(answer!(client, change_cert_profile(uuid), json!({"enabled": false}))["enabled"], false);
        assert_eq!(answer!(client, cert_profile(uuid)).extended_key_usages, ["clientAuth"]);
        let _gone = answer!(client, delete_cert_profile(uuid));
    }
}
