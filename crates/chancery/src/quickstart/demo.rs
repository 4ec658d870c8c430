//! The objects that a demonstration begins with, made over the interface like anybody's.

use chancery_client::Client;
use chancery_types::{
    CertProfileId, CertificateId, HashType, KeyTypeId, Operation, PolicyId, RoleId, ServiceId, SigningFormat,
    TokenProfileId, ValidityUnit,
    wire::{
        ListQuery, ObjInfo,
        keys::CreateKey,
        services::{DeployRequest, PkiSigning, PkiSigningMember, SigningCert, SigningCertParams, SigningKeyParams},
        token_profiles::{ControlRule, CreateTokenProfile, NameOnly},
        x509::{CertificateQuery, GenerateCertificate, NewKey, ValidityPeriod},
    },
};

use super::{
    state::{Demo, Releases},
    steps::Steps,
};
use crate::failure::{Failure, While as _};

const TEMPLATE: &str = "card number keep last 4";

const CARDS: &str = "demo cards";

const ROOT_NAME: &str = "Chancery Demo Root";

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

/// Makes all of them, but for those that a start made which was interrupted.
pub(super) fn make(client: &Client, steps: &mut Steps) -> Result<Demo, Failure> {
    let step = steps.begin("make a key and a token profile for card numbers");
    let token_profile_uuid = token_profile(client).doing("making the token profile")?;
    step.done()?;
    let step = steps.begin("make a root certificate authority");
    let signing_key_type = key_type(client, "RSA 3072 Signing")?;
    let root_certificate_uuid = root(client, signing_key_type).doing("making the root certificate")?;
    step.done()?;
    let deploy = |service| service_and_policy(client, root_certificate_uuid, signing_key_type, service);
    let step = steps.begin("deploy a signing service");
    let (service_uuid, policy_uuid) = deploy(&AT_ONCE).doing("deploying the signing service")?;
    step.done()?;
    let step = steps.begin("deploy a service whose signatures wait for an approval");
    let releases = deploy(&RELEASES).doing("deploying the service for releases")?;
    step.done()?;
    let releases = Releases { service_uuid: releases.0, policy_uuid: releases.1 };
    Ok(Demo { token_profile_uuid, root_certificate_uuid, service_uuid, policy_uuid, releases })
}

fn token_profile(client: &Client) -> Result<TokenProfileId, Failure> {
    if let Some(made) =
        named(client.token_profiles(&ListQuery::search(CARDS))?.results.into_iter().map(|stub| stub.obj_info), CARDS)
    {
        return Ok(made);
    }
    let key_type_uuid = key_type(client, "AES-256 Tokenization")?;
    let key_uuid =
        match named(client.keys(&ListQuery::search(CARDS))?.results.into_iter().map(|stub| stub.obj_info), CARDS) {
            Some(made) => made,
            None => client.create_key(&CreateKey { name: CARDS.to_owned(), key_type_uuid, usages: None })?.uuid,
        };
    let template = client.token_profile_template(TEMPLATE)?;
    // Partial detokenization is for other roles: the administrators hold the full rule, which beats it.
    let rules = [Operation::Tokenize, Operation::Detokenize, Operation::Batch];
    let profile = client.create_token_profile(&CreateTokenProfile {
        obj_info: NameOnly { name: CARDS.to_owned() },
        algorithm: template.algorithm,
        key_uuid,
        key_version: None,
        min_decrypt_version: None,
        tweak_domain: None,
        format: Some(template.format.into()),
        use_iv: Some(template.use_iv),
        deterministic: None,
        time_to_live: None,
        durability: None,
        control_rules: Some(rules.map(rule).into()),
    })?;
    Ok(profile.obj_info.uuid)
}

const fn rule(operation: Operation) -> ControlRule {
    let budgets = Vec::new();
    ControlRule {
        role_uuid: RoleId::ADMINISTRATOR,
        operation,
        reveal: None,
        reveal_from: None,
        mask_char: None,
        mask: None,
        budgets,
        approval: None,
    }
}

fn root(client: &Client, key_type_uuid: KeyTypeId) -> Result<CertificateId, Failure> {
    let roots = CertificateQuery { name: Some(ROOT_NAME.to_owned()), ..CertificateQuery::default() };
    let made = client.certificates(&roots)?.results.into_iter().filter(|stub| stub.issuer_uuid == stub.obj_info.uuid);
    if let Some(made) = named(made.map(|stub| stub.obj_info), ROOT_NAME) {
        return Ok(made);
    }
    let generated = client.generate_certificate(&GenerateCertificate {
        cert_profile_uuid: cert_profile(client, "Root Certificate Authority")?,
        subject_oneline: Some(format!("CN={ROOT_NAME},O=Demonstration")),
        new_key: Some(NewKey { key_type_uuid: Some(key_type_uuid), save: Some(true) }),
        save_cert: Some(true),
        trust_cert: Some(true),
        issuer_uuid: None,
        cert_params: None,
        key_params: None,
    })?;
    generated.made().map(|made| made.certificate_uuid).ok_or_else(|| "the root certificate waits for approvals".into())
}

fn service_and_policy(
    client: &Client,
    issuer_uuid: CertificateId,
    key_type_uuid: KeyTypeId,
    service: &Service,
) -> Result<(ServiceId, PolicyId), Failure> {
    let without_policy = "the service was deployed without a policy";
    let made = client
        .services(&ListQuery::search(service.name))?
        .results
        .into_iter()
        .find(|made| made.obj_info.name == service.name);
    if let Some(made) = made {
        let policy = made.signing_policies.first().ok_or(without_policy)?;
        return Ok((made.obj_info.uuid, policy.obj_info.uuid));
    }
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
    let deployed = client.deploy(&DeployRequest {
        template: "PKI Signing".to_owned(),
        name: service.name.to_owned(),
        log: None,
        pkisigning: PkiSigningMember::Given(Box::new(signing)),
        timestamping: None,
    })?;
    Ok((deployed.service_uuid, deployed.policy_uuid.ok_or(without_policy)?))
}

/// The object of exactly this name.
fn named<Id>(mut objects: impl Iterator<Item = ObjInfo<Id>>, name: &str) -> Option<Id> {
    objects.find(|object| object.name == name).map(|object| object.uuid)
}

/// The key type of exactly this name.
fn key_type(client: &Client, name: &str) -> Result<KeyTypeId, Failure> {
    let found = client.key_types(&ListQuery::search(name))?.results.into_iter().map(|stub| stub.obj_info);
    named(found, name).ok_or_else(|| format!("there is no key type {name}").into())
}

/// The certificate profile of exactly this name.
fn cert_profile(client: &Client, name: &str) -> Result<CertProfileId, Failure> {
    let found = client.cert_profiles(&ListQuery::default())?.results.into_iter().map(|stub| stub.obj_info);
    named(found, name).ok_or_else(|| format!("there is no certificate profile {name}").into())
}
