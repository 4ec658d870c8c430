//! An installation with two services that sign at once, at fixed addresses, so that it can be killed and started again.

use std::{fs, path::PathBuf};

use chancery_client::Client;
use chancery_testkit::{TempDir, free_port, temp_dir};
use chancery_types::{
    Base64, CertificateId, HashType, KeyTypeId, LogVisibility, PolicyId, ServiceId, SigningFormat, SigningRequestId,
    ValidityUnit,
    wire::{
        ListQuery,
        services::{DeployRequest, PkiSigning, PkiSigningMember, SigningCert, SigningCertParams, SigningKeyParams},
        signing_requests::{SigningRequest, SubmitRequest},
        x509::{GenerateCertificate, NewKey, ValidityPeriod},
    },
};

use crate::process::{Server, chancery};

/// Where requests go.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) service: ServiceId,
    pub(super) policy: PolicyId,
    pub(super) certificate: CertificateId,
}

pub(super) struct Site {
    folder: TempDir,
    port: u16,
    public_port: u16,
}

impl Site {
    pub(super) fn new() -> Self {
        let site = Self { folder: temp_dir(), port: free_port(), public_port: free_port() };
        fs::write(site.path("password"), "first password\n").unwrap();
        let (password, installation) = (site.path("password"), site.installation());
        let _made = chancery(&["init", "--admin1-password-file"])
            .arg(&password)
            .args(["--admin2-password-file"])
            .arg(&password)
            .args(&installation)
            .run();
        let _switched = chancery(&["settings", "--api-access", "on"]).args(&installation).run();
        site
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn installation(&self) -> Vec<String> {
        let path = |name| self.path(name).display().to_string();
        ["--data".to_owned(), path("data"), "--root-key".to_owned(), path("root.key")].into()
    }

    /// Starts the server; it may be killed at any moment from now on.
    pub(super) fn start(&self) -> Server {
        let (listen, public) = (format!("127.0.0.1:{}", self.port), format!("127.0.0.1:{}", self.public_port));
        let installation = self.installation();
        let mut arguments = vec!["serve", "--listen", &listen, "--public-listen", &public, "--token-lifetime", "3600"];
        arguments.extend(installation.iter().map(String::as_str));
        Server::spawn(self.folder.path(), &arguments)
    }

    /// Starts it and waits until it serves.
    pub(super) fn serve(&self) -> Server {
        let mut server = self.start();
        self.wait(&mut server);
        server
    }

    pub(super) fn wait(&self, server: &mut Server) {
        server.wait_until("serving", |server| server.log().contains("serving").then_some(()));
    }

    /// Where the log is, over plain HTTP.
    pub(super) fn log(&self) -> String {
        format!("http://127.0.0.1:{}/log", self.public_port)
    }

    pub(super) fn log_text(&self, name: &str) -> Option<String> {
        String::from_utf8(chancery_client::public_file(&format!("{}/{name}", self.log())).ok()?).ok()
    }

    pub(super) fn client(&self) -> Client {
        let authority = fs::read(self.path("data/tls/ca.pem")).unwrap();
        let client = Client::new(&format!("https://127.0.0.1:{}", self.port), &authority).unwrap();
        for name in ["Admin1", "Admin2"] {
            client.log_in(name, "first password").unwrap();
        }
        client.take_token().unwrap();
        client
    }
}

/// A root, and what certificates below it are made of.
pub(super) struct Authority {
    pub(super) pem: String,
    uuid: CertificateId,
    key_type: KeyTypeId,
}

fn p256(client: &Client) -> KeyTypeId {
    client.key_types(&ListQuery::search("EC P-256 Signing")).unwrap().results[0].obj_info.uuid
}

impl Authority {
    /// One that was made elsewhere, with its key, both in PEM.
    pub(super) fn imported(client: &Client, pem: String, key: &str) -> Self {
        let body = serde_json::json!({"certificates": pem, "privateKey": key});
        let uuid = client.import_authority(&body).unwrap().certificate_uuid.unwrap();
        Self { pem, uuid, key_type: p256(client) }
    }

    /// A P-256 root.
    pub(super) fn new(client: &Client) -> Self {
        let key_type = p256(client);
        let profiles = client.cert_profiles(&ListQuery::default()).unwrap().results;
        let profile = profiles.iter().find(|profile| profile.obj_info.name == "Root Certificate Authority").unwrap();
        let root = client
            .generate_certificate(&GenerateCertificate {
                cert_profile_uuid: profile.obj_info.uuid,
                subject_oneline: Some("CN=Root,O=Test".to_owned()),
                new_key: Some(NewKey { key_type_uuid: Some(key_type), save: Some(true) }),
                save_cert: Some(true),
                trust_cert: Some(true),
                issuer_uuid: None,
                cert_params: None,
                key_params: None,
            })
            .unwrap()
            .made()
            .unwrap();
        Self { pem: root.certificate, uuid: root.certificate_uuid, key_type }
    }

    /// A certificate with this common name, for so long.
    pub(super) fn certificate(&self, name: &str, unit: ValidityUnit, amount: &str) -> SigningCert {
        let validity_period = ValidityPeriod { unit, amount: amount.to_owned() };
        SigningCert {
            issuer_uuid: self.uuid,
            subject_oneline: format!("CN={name},O=Test"),
            new_key: SigningKeyParams { key_type_uuid: self.key_type, save: Some(true) },
            cert_params: SigningCertParams { validity_period },
        }
    }

    /// What a service that signs at once is deployed with.
    pub(super) fn signing(&self, name: &str, signing_format: SigningFormat) -> PkiSigning {
        PkiSigning {
            new_cert: self.certificate(name, ValidityUnit::Year, "1"),
            signing_format,
            num_approvals: 0,
            hash_algorithm: HashType::Sha2_256,
            rsa_pss: None,
            self_approval: None,
            rules: None,
            time_stamp: None,
        }
    }
}

/// Deploys a service.
pub(super) fn deploy_one(client: &Client, name: &str, log: LogVisibility, signing: PkiSigning) -> Target {
    let deployed = client.deploy(&DeployRequest {
        template: "PKI Signing".to_owned(),
        name: name.to_owned(),
        log: Some(log),
        pkisigning: PkiSigningMember::Given(Box::new(signing)),
        timestamping: None,
    });
    let deployed = deployed.unwrap();
    Target {
        service: deployed.service_uuid,
        policy: deployed.policy_uuid.unwrap(),
        certificate: deployed.certificate_uuid.unwrap(),
    }
}

/// A P-256 root in PEM, and a service below it for each of these.
pub(super) fn deploy(client: &Client, services: &[(SigningFormat, LogVisibility)]) -> (String, Vec<Target>) {
    let authority = Authority::new(client);
    let service = |(number, (format, log)): (usize, &(SigningFormat, LogVisibility))| {
        let signing = authority.signing(&format!("Signer {number}"), *format);
        deploy_one(client, &format!("service {number}"), *log, signing)
    };
    let targets = services.iter().enumerate().map(service).collect();
    (authority.pem, targets)
}

/// A request about this digest or this content.
pub(super) fn submission(target: Target, name: &str, digest: Option<&[u8]>, content: Option<&[u8]>) -> SubmitRequest {
    SubmitRequest {
        upload_data: content.map(|content| Base64(content.to_vec())),
        digest: digest.map(|digest| Base64(digest.to_vec())),
        ..SubmitRequest::new(name.to_owned(), target.service, target.policy)
    }
}

/// The request's detail, once a checkpoint covers its signature.
pub(super) fn covered(client: &Client, id: SigningRequestId) -> SigningRequest {
    for _ in 0..400 {
        let detail = client.signing_request(id).unwrap();
        if detail.inclusion_proof.is_some() {
            return detail;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("no checkpoint covers {id}");
}
