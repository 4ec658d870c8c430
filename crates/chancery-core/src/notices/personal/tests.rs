//! Who is told by its own mailbox, once, and until when.

use std::sync::{Arc, Mutex};

use chancery_store::tables::deliveries;
use chancery_types::{
    AuthType, Base64, IdentityId, NoticeKind, RoleId, ServiceId,
    wire::{
        audit::AuditQuery,
        login::{AuthCredentials, LoginRequest},
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    QUEUE, StoredMailbox,
    stored_mailbox::{Content, Wanted},
};
use crate::{
    Caller, Chancery, Credentials, Error, Limits, Mail, NoticeTransport, Post, Posted, Result,
    context::record::Draft,
    testing::{Installation, PASSWORD, START_MS, request, visitor},
};

const ROOT: &str = "00000000-0000-0000-6370-000000000001";
const P256: &str = "00000000-0000-0000-6b74-000000000004";

/// A relay that takes everything.
#[derive(Default)]
struct Relay(Mutex<Vec<(String, String)>>);

impl NoticeTransport for Relay {
    fn post(&self, _: Post) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>> {
        Err("nothing is posted".into())
    }

    fn sends_mails(&self) -> bool {
        true
    }

    fn syslog(&self, _: crate::Syslog) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn append(&self, _: crate::Append) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn mail(&self, mail: Mail) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>> {
        self.0.lock().unwrap().push((mail.to, mail.subject));
        Ok(Posted { status: 250, body: Vec::new(), is_whole: true })
    }
}

fn body<T: DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).unwrap()
}

/// A person with this role.
async fn person(chancery: &Chancery, caller: &Caller, name: &str, role: RoleId) -> IdentityId {
    let password = Base64(PASSWORD.as_bytes().to_vec());
    let made = json!({"name": name, "kind": "Person", "roleUuids": [role], "password": password});
    chancery.identities.create_identity(caller, body(made)).await.unwrap().uuid
}

async fn logged_in(chancery: &Chancery, name: &str) -> Caller {
    let auth_credentials = AuthCredentials {
        username: Some(name.to_owned()),
        password: Some(Base64(PASSWORD.as_bytes().to_vec())),
        ..AuthCredentials::default()
    };
    let login = LoginRequest { auth_credentials, auth_type: AuthType::Userpass };
    let cookie = chancery.identities.log_in(&visitor(), None, login).await.unwrap().cookie;
    chancery.identities.authenticate(request(), Credentials::Cookie(cookie.as_str().into())).await.unwrap()
}

fn mailbox(identity: IdentityId) -> StoredMailbox {
    StoredMailbox {
        identity,
        address: Some(format!("{identity}@example.org")),
        confirmed_at_ms: Some(START_MS),
        is_enabled: true,
        content: Content::default(),
        sent: Vec::new(),
    }
}

/// Gives these a mailbox each, which was confirmed at the beginning.
async fn with_mailboxes(chancery: &Chancery, identities: &[IdentityId]) {
    let identities = identities.to_vec();
    let written = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            for identity in identities {
                mailbox(identity).put(tx).await?;
                deliveries::begin(tx, QUEUE, identity.into()).await?;
            }
            Ok::<_, Error>(())
        })
    });
    written.await.unwrap();
}

/// How much waits for each of these.
async fn waiting<const N: usize>(chancery: &Chancery, identities: [IdentityId; N]) -> [i64; N] {
    let read = chancery.storage.store().read(move |tx| {
        Box::pin(async move { Ok::<_, Error>(deliveries::waiting_for(tx, &identities.map(Uuid::from)).await?) })
    });
    let found = read.await.unwrap();
    let of = |id: IdentityId| found.iter().find(|one| one.target == Uuid::from(id)).map_or(0, |one| one.waiting);
    identities.map(of)
}

/// A service whose requests wait for one approval.
async fn service(chancery: &Arc<Chancery>, caller: &Caller) -> Value {
    let root = body(json!({"certProfileUuid": ROOT, "newKey": {"keyTypeUuid": P256}, "trustCert": true}));
    let root = chancery.pki.generate_certificate(caller, root).await.unwrap().made().unwrap().certificate_uuid;
    let certificate = json!({
        "issuerUuid": root, "subjectOneline": "CN=releases", "newKey": {"keyTypeUuid": P256, "save": true},
        "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
    });
    let deployed = json!({
        "template": "PKI Signing", "name": "releases", "pkisigning": {
            "newCert": certificate, "signingFormat": "CMS", "numApprovals": 1, "hashAlgorithm": "Sha2_256",
        },
    });
    serde_json::to_value(chancery.signing.deploy_service(caller, body(deployed)).await.unwrap()).unwrap()
}

async fn submit(chancery: &Arc<Chancery>, caller: &Caller, service: &Value) -> chancery_types::SigningRequestId {
    let submitted = json!({
        "name": "n", "serviceUuid": service["serviceUuid"], "policyUuid": service["policyUuid"], "uploadData": "eA==",
    });
    chancery.signing.submit_signing_request(caller, body(submitted)).await.unwrap().uuid
}

/// Lets something happen that whoever administers hears of.
async fn happen(chancery: &Chancery) {
    let at_ms = chancery.clock.now_ms();
    let written = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            let draft = Draft::of(chancery_types::Action::RowRefuse, chancery_types::ErrorCode::Success, "null")?;
            draft.expect("it is told").insert(tx, at_ms, None).await
        })
    });
    written.await.unwrap();
}

#[tokio::test]
async fn what_waits_is_told_to_whoever_could_decide_and_its_end_to_whoever_has() {
    let relay = Arc::new(Relay::default());
    let installation = Installation::with_notices(relay.clone(), Limits::default()).await;
    let (chancery, admins) = (&installation.chancery, installation.administrators().await);
    let approver = person(chancery, &admins, "approver", RoleId::APPROVER).await;
    let auditor = person(chancery, &admins, "auditor", RoleId::AUDITOR).await;
    let admin1 = admins.members()[0].id;
    let service = service(chancery, &admins).await;
    with_mailboxes(chancery, &[admin1, approver, auditor]).await;
    installation.clock.advance_ms(1_000);
    let request = submit(chancery, &admins, &service).await;
    chancery.notices.tell_persons().await.unwrap();
    assert_eq!(waiting(chancery, [admin1, approver, auditor]).await, [0, 1, 0], "not to whoever submitted it");

    let caller = logged_in(chancery, "approver").await;
    chancery.signing.approve_signing_request(&caller, request, body(json!({}))).await.unwrap();
    chancery.notices.tell_persons().await.unwrap();
    assert_eq!(waiting(chancery, [admin1, approver, auditor]).await, [1, 2, 0]);
    for one in [admin1, approver, auditor] {
        while chancery.notices.deliver_some(one.into()).await.unwrap() {}
    }
    assert_eq!(waiting(chancery, [admin1, approver, auditor]).await, [0, 0, 0]);
    let mut mails = relay.0.lock().unwrap().clone();
    mails.sort();
    let subject = "Chancery: Signing request was approved and signed".to_owned();
    let mut expected = [admin1, approver].map(|one| (format!("{one}@example.org"), subject.clone()));
    expected.sort();
    assert_eq!(mails, expected, "what waits no more is not mailed");
}

#[tokio::test]
async fn whoever_lost_the_role_or_was_locked_meanwhile_gets_nothing() {
    let relay = Arc::new(Relay::default());
    let installation = Installation::with_notices(relay.clone(), Limits::default()).await;
    let (chancery, admins) = (&installation.chancery, installation.administrators().await);
    let mut approvers = Vec::new();
    for name in ["keeps", "loses", "locked", "disables"] {
        approvers.push(person(chancery, &admins, name, RoleId::APPROVER).await);
    }
    let approvers: [IdentityId; 4] = approvers.try_into().unwrap();
    let [keeps, loses, locked, disables] = approvers;
    let service = service(chancery, &admins).await;
    with_mailboxes(chancery, &approvers).await;
    installation.clock.advance_ms(1_000);
    let _request = submit(chancery, &admins, &service).await;
    chancery.notices.tell_persons().await.unwrap();
    assert_eq!(waiting(chancery, approvers).await, [1; 4]);

    chancery.identities.change_identity(&admins, loses, body(json!({"roleUuids": [RoleId::AUDITOR]}))).await.unwrap();
    chancery.identities.lock_identity(&admins, locked).await.unwrap();
    let written = chancery.storage.store().write(move |tx| {
        Box::pin(async move { StoredMailbox { is_enabled: false, ..mailbox(disables) }.put(tx).await })
    });
    written.await.unwrap();
    for one in approvers {
        while chancery.notices.deliver_some(one.into()).await.unwrap() {}
    }
    assert_eq!(waiting(chancery, approvers).await, [0; 4], "what is not theirs any more does not wait, either");
    let mails: Vec<_> = relay.0.lock().unwrap().iter().map(|(to, _)| to.clone()).collect();
    assert_eq!(mails, [format!("{keeps}@example.org")]);

    let _request = submit(chancery, &admins, &service).await;
    chancery.notices.tell_persons().await.unwrap();
    assert_eq!(waiting(chancery, approvers).await, [1, 0, 0, 0]);
}

/// A node that is killed after some were told, and two that go on at the same time.
async fn each_is_told_once(installation: Installation) {
    const PERSONS: usize = 250;
    let (chancery, admins) = (&installation.chancery, installation.administrators().await);
    let mut auditors = Vec::new();
    for number in 0..PERSONS {
        auditors.push(person(chancery, &admins, &format!("auditor {number}"), RoleId::AUDITOR).await);
    }
    with_mailboxes(chancery, &auditors).await;
    for _ in 0..3 {
        happen(chancery).await;
    }
    assert!(chancery.notices.tell_some().await.unwrap(), "some of them; then the node is killed");
    let (one, two) = (installation.other_node().await, installation.other_node().await);
    let (first, second) = tokio::join!(one.notices.tell_persons(), two.notices.tell_persons());
    first.unwrap();
    second.unwrap();
    let ids: Vec<Uuid> = auditors.iter().map(|one| (*one).into()).collect();
    let read = chancery.storage.store().read(move |tx| {
        Box::pin(async move {
            let left = chancery_store::tables::fan_outs::first(tx).await?;
            Ok::<_, Error>((deliveries::waiting_for(tx, &ids).await?, left))
        })
    });
    let (found, left) = read.await.unwrap();
    assert_eq!((found.len(), left), (PERSONS, None));
    assert!(found.iter().all(|one| one.waiting == 3), "{found:?}");
}

#[tokio::test]
async fn each_notice_is_told_once_by_whichever_node() {
    each_is_told_once(Installation::new().await).await;
}

#[tokio::test]
async fn each_notice_is_told_once_by_whichever_node_on_postgres() {
    each_is_told_once(Installation::on_postgres().await).await;
}

#[tokio::test]
async fn no_mailbox_grows_without_end_and_one_record_tells_of_all() {
    let mut limits = Limits::default();
    limits.notices.mailbox_waiting_max = 3;
    let installation = Installation::with_notices(Arc::new(Relay::default()), limits).await;
    let (chancery, admins) = (&installation.chancery, installation.administrators().await);
    let [admin1, admin2] = [0, 1].map(|at| admins.members()[at].id);
    with_mailboxes(chancery, &[admin1, admin2]).await;
    for _ in 0..4 {
        happen(chancery).await;
    }
    chancery.notices.tell_persons().await.unwrap();
    assert_eq!(waiting(chancery, [admin1, admin2]).await, [3, 3]);
    let recorded = async |caller: &Caller| {
        let query: AuditQuery = body(json!({"action": "NoticeGiveUp"}));
        chancery.audit.audit_records(caller, query).await.unwrap().items.remove(0).detail
    };
    assert_eq!(recorded(&admins).await, json!({"mailboxes": 2, "count": 2, "why": "number"}));
    let undelivered = chancery.notices.undelivered_notices(&admins, Default::default()).await.unwrap();
    let names: Vec<_> = undelivered.items.iter().map(|one| one.identity.as_ref().unwrap().name.as_str()).collect();
    assert_eq!((names.len(), names.contains(&"Admin1"), names.contains(&"Admin2")), (6, true, true), "{names:?}");

    installation.clock.advance_ms(3 * 24 * 3_600_000 + 1);
    chancery.notices.tidy_notices().await.unwrap();
    assert_eq!(waiting(chancery, [admin1, admin2]).await, [0, 0]);
    // The session has ended meanwhile.
    let admins = installation.administrators().await;
    assert_eq!(recorded(&admins).await, json!({"mailboxes": 2, "count": 6, "why": "age"}));
}

#[test]
fn a_mailbox_gets_what_it_chose_from_when_it_was_confirmed() {
    let service = ServiceId::from_u128(5);
    let notice = |service: Option<ServiceId>| chancery_store::tables::notices::Notice {
        id: Uuid::nil(),
        at_ms: START_MS,
        kind: "Waiting".to_owned(),
        object_kind: None,
        object: None,
        service_id: service.map(Uuid::from),
        detail: "{}".to_owned(),
    };
    let wanting = |kinds: &[NoticeKind], services: &[ServiceId]| StoredMailbox {
        content: Content {
            wanted: Wanted { kinds: kinds.to_vec(), services: services.to_vec() },
            ..Content::default()
        },
        ..mailbox(IdentityId::from_u128(1))
    };
    let (now, of_service) = (notice(None), notice(Some(service)));
    assert!(wanting(&[], &[]).wants(&now));
    assert!(mailbox(IdentityId::from_u128(1)).was_there_at(START_MS, START_MS));
    assert!(!mailbox(IdentityId::from_u128(1)).was_there_at(START_MS - 1, START_MS), "from before");
    assert!(
        mailbox(IdentityId::from_u128(1)).was_there_at(START_MS - 90_001, START_MS - 90_000),
        "confirmed by a clock that was wrong"
    );
    let mut changed = notice(None);
    changed.kind = "LoginChanged".to_owned();
    assert!(wanting(&[NoticeKind::Failed], &[service]).wants(&changed), "it cannot be left out");
    assert!(wanting(&[NoticeKind::Waiting], &[]).wants(&now) && !wanting(&[NoticeKind::Failed], &[]).wants(&now));
    assert!(wanting(&[], &[service]).wants(&of_service) && !wanting(&[], &[service]).wants(&now));
    let without = StoredMailbox { address: None, ..wanting(&[], &[]) };
    assert!(!without.wants(&now) && !StoredMailbox { is_enabled: false, ..wanting(&[], &[]) }.wants(&now));
}
