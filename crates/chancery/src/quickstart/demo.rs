//! The objects that a demonstration begins with, made over the interface like anybody's.

use chancery_client::Client;
use chancery_types::{
    Base64, CertProfileId, CertificateId, HashType, IdentityKind, KeyTypeId, Operation, RoleId, SigningFormat,
    TokenProfileId, ValidityUnit,
    wire::{
        identities::CreateIdentity,
        keys::CreateKey,
        services::{
            DeployRequest, DeployedService, PkiSigning, PkiSigningMember, SigningCert, SigningCertParams,
            SigningKeyParams,
        },
        token_profiles::{ControlRule, CreateTokenProfile, NameOnly},
        x509::{GenerateCertificate, NewKey, ValidityPeriod},
    },
};

use super::{
    state::{Admin, Demo, Releases},
    steps::Steps,
};
use crate::failure::{Failure, While as _};

const TEMPLATE: &str = "card number keep last 4";

/// A signing service of the demonstration.
struct Service {
    name: &'static str,
    subject: &'static str,
    num_approvals: i64,
}

const AT_ONCE: Service =
    Service { name: "demo signing", subject: "CN=Chancery Demo Signer,O=Demonstration", num_approvals: 0 };

const RELEASES: Service =
    Service { name: "demo releases", subject: "CN=Chancery Demo Releases,O=Demonstration", num_approvals: 1 };

/// Makes all of them but [`releases`].
pub(super) fn make(client: &Client, steps: &mut Steps) -> Result<Demo, Failure> {
    let step = steps.begin("make a key and a token profile for card numbers");
    let token_profile_uuid = token_profile(client).doing("making the token profile")?;
    step.done();
    let step = steps.begin("make a root certificate authority");
    let signing_key_type = key_type(client, "RSA 3072 Signing")?;
    let root_certificate_uuid = root(client, signing_key_type).doing("making the root certificate")?;
    step.done();
    let step = steps.begin("deploy a signing service");
    let service =
        service(client, root_certificate_uuid, signing_key_type, &AT_ONCE).doing("deploying the signing service")?;
    step.done();
    Ok(Demo {
        token_profile_uuid,
        root_certificate_uuid,
        service_uuid: service.service_uuid,
        policy_uuid: service.policy_uuid.ok_or("the service was deployed without a policy")?,
        releases: None,
    })
}

/// Makes the service that signs what somebody has approved, and that somebody.
pub(super) fn releases(client: &Client, demo: &Demo, approver: &Admin, steps: &mut Steps) -> Result<Releases, Failure> {
    let step = steps.begin("deploy a service whose signatures wait for an approval, and add its approver");
    let key_type = key_type(client, "RSA 3072 Signing")?;
    let deployed = service(client, demo.root_certificate_uuid, key_type, &RELEASES);
    let deployed = deployed.doing("deploying the service for releases")?;
    client
        .create_identity(&CreateIdentity {
            name: approver.username.clone(),
            kind: IdentityKind::Person,
            role_uuids: vec![RoleId::APPROVER],
            password: Some(Base64(approver.password.clone().into_bytes())),
        })
        .doing("adding the approver")?;
    step.done();
    Ok(Releases {
        service_uuid: deployed.service_uuid,
        policy_uuid: deployed.policy_uuid.ok_or("the service was deployed without a policy")?,
    })
}

fn token_profile(client: &Client) -> Result<TokenProfileId, Failure> {
    let key_type_uuid = key_type(client, "AES-256 Tokenization")?;
    let key = client.create_key(&CreateKey { name: "demo cards".to_owned(), key_type_uuid, usages: None })?;
    let template = client.token_profile_template(TEMPLATE)?;
    // Partial detokenization is for other roles: the administrators hold the full rule, which beats it.
    let rules = [Operation::Tokenize, Operation::Detokenize, Operation::Batch];
    let profile = client.create_token_profile(&CreateTokenProfile {
        obj_info: NameOnly { name: "demo cards".to_owned() },
        algorithm: template.algorithm,
        key_uuid: key.uuid,
        key_version: None,
        min_decrypt_version: None,
        tweak_domain: None,
        format: Some(template.format.into()),
        use_iv: Some(template.use_iv),
        deterministic: None,
        time_to_live: None,
        control_rules: Some(rules.map(rule).into()),
    })?;
    Ok(profile.obj_info.uuid)
}

const fn rule(operation: Operation) -> ControlRule {
    ControlRule { role_uuid: RoleId::ADMINISTRATOR, operation, reveal: None, reveal_from: None, mask_char: None }
}

fn root(client: &Client, key_type_uuid: KeyTypeId) -> Result<CertificateId, Failure> {
    let generated = client.generate_certificate(&GenerateCertificate {
        cert_profile_uuid: cert_profile(client, "Root Certificate Authority")?,
        subject_oneline: Some("CN=Chancery Demo Root,O=Demonstration".to_owned()),
        new_key: Some(NewKey { key_type_uuid: Some(key_type_uuid), save: Some(true) }),
        save_cert: Some(true),
        trust_cert: Some(true),
        issuer_uuid: None,
        cert_params: None,
        key_params: None,
    })?;
    generated.made().map(|made| made.certificate_uuid).ok_or_else(|| "the root certificate waits for approvals".into())
}

fn service(
    client: &Client,
    issuer_uuid: CertificateId,
    key_type_uuid: KeyTypeId,
    service: &Service,
) -> Result<DeployedService, Failure> {
    let validity_period = ValidityPeriod { unit: ValidityUnit::Year, amount: "1".to_owned() };
    let signing = PkiSigning {
        new_cert: SigningCert {
            issuer_uuid,
            subject_oneline: service.subject.to_owned(),
            new_key: SigningKeyParams { key_type_uuid, save: Some(true) },
            cert_params: SigningCertParams { validity_period },
        },
        signing_format: SigningFormat::Cms,
        num_approvals: service.num_approvals,
        hash_algorithm: HashType::Sha2_256,
        rsa_pss: None,
        time_stamp: None,
        self_approval: None,
        rules: None,
    };
    Ok(client.deploy(&DeployRequest {
        template: "PKI Signing".to_owned(),
        name: service.name.to_owned(),
        log: None,
        pkisigning: PkiSigningMember::Given(Box::new(signing)),
        timestamping: None,
    })?)
}

/// The key type of exactly this name.
fn key_type(client: &Client, name: &str) -> Result<KeyTypeId, Failure> {
    let found = client.key_types(name)?.results.into_iter().map(|stub| stub.obj_info).find(|info| info.name == name);
    found.map(|info| info.uuid).ok_or_else(|| format!("there is no key type {name}").into())
}

/// The certificate profile of exactly this name.
fn cert_profile(client: &Client, name: &str) -> Result<CertProfileId, Failure> {
    let found = client.cert_profiles()?.results.into_iter().map(|stub| stub.obj_info).find(|info| info.name == name);
    found.map(|info| info.uuid).ok_or_else(|| format!("there is no certificate profile {name}").into())
}
