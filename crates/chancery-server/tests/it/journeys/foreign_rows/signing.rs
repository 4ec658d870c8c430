//! Of requests and what approves them.

use std::time::Duration;

use chancery_core::{Host, Meaning};
use chancery_types::Base64;
use serde_json::{Value, json};

use super::{elsewhere, harm, told};
use crate::{
    app::Setup,
    signing::{PROPOSALS, REQUESTS, Signing, approve, deny, submission},
};

on_both!(
    approvals_digests_and_policies_that_somebody_wrote_sign_nothing,
    a_submitter_who_is_taken_out_of_the_set_does_not_approve_his_own,
    an_approver_who_is_taken_out_of_an_approval_does_not_give_another,
    an_approval_that_lost_its_giver_is_told_once_counted_and_listed_until_it_is_mended,
    whoever_proposed_does_not_approve_it_once_taken_out,
    a_proposal_that_lost_a_part_is_left_out_of_lists_and_no_other,
    items_of_a_manifest_are_those_that_were_approved,
    page_hashes_are_those_that_were_approved,
    proposals_and_their_decisions_that_somebody_wrote_take_no_effect,
    pre_approvals_that_somebody_wrote_sign_nothing,
    another_payload_is_shown_to_nobody,
    another_file_is_neither_shown_nor_handed_out,
    other_items_are_neither_shown_nor_submitted_again,
);

async fn signing(postgres: bool) -> Signing {
    Signing::with(Setup { postgres, ..Setup::default() }).await
}

async fn approvals_digests_and_policies_that_somebody_wrote_sign_nothing(postgres: bool) {
    let signing = signing(postgres).await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let service = signing.deploy("builds", 2).await;
    let [approved, changed, good] = [
        signing.submit(&service, b"a").await,
        signing.submit(&service, b"b").await,
        signing.submit(&service, b"c").await,
    ];
    let admin_id = signing.admin.identity_uuid("Admin2").await;
    let app = &signing.app;
    harm(
        app,
        &format!(
            "INSERT INTO approvals (request_id, version, decision, note, decided_at_ms, roles) \
             VALUES ('{approved}', 77, 'Approve', '', 1, '[]')"
        ),
    );
    harm(
        app,
        &format!(
            "INSERT INTO approval_identities (request_id, version, decision, identity_id, identity_name) \
             VALUES ('{approved}', 77, 'Approve', '{admin_id}', 'Admin2')"
        ),
    );
    harm(
        app,
        &format!(
            "UPDATE signing_requests SET digest = (SELECT digest FROM signing_requests WHERE id = '{good}') WHERE id = '{changed}'"
        ),
    );
    for request in [&approved, &changed] {
        approve(&ann, request).await.refused(503, "Unavailable", None);
    }
    approve(&ann, &good).await.response();
    assert_eq!(approve(&bob, &good).await.response()["state"], "Signed");
    let other = signing.deploy("other", 0).await;
    harm(app, &format!("UPDATE signing_policies SET num_approvals = 0 WHERE id = '{}'", service.policy));
    let admin = elsewhere(app, &["Admin1", "Admin2"]).await;
    admin.post(REQUESTS, submission(&service, b"d")).await.refused(503, "Unavailable", None);
    admin.post(REQUESTS, submission(&other, b"d")).await.response();
    let tables = told(&admin, 3).await;
    for table in ["approvals", "signing_requests", "signing_policies"] {
        assert!(tables.iter().any(|told| told == table), "{table}: {tables:?}");
    }
}

async fn a_submitter_who_is_taken_out_of_the_set_does_not_approve_his_own(postgres: bool) {
    let signing = signing(postgres).await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"a").await;
    harm(&signing.app, "DELETE FROM submitter_set_members WHERE set_id IS NOT NULL");
    approve(&signing.admin, &request).await.refused(503, "Unavailable", None);
}

async fn an_approver_who_is_taken_out_of_an_approval_does_not_give_another(postgres: bool) {
    let signing = signing(postgres).await;
    let (ann, app) = (signing.approver("ann").await, &signing.app);
    let service = signing.deploy("builds", 2).await;
    let requests = [signing.submit(&service, b"a").await, signing.submit(&service, b"b").await];
    for request in &requests {
        approve(&ann, request).await.response();
    }
    harm(app, &format!("DELETE FROM approval_identities WHERE request_id = '{}'", requests[0]));
    let admin_id = signing.admin.identity_uuid("Admin2").await;
    harm(app, &format!("UPDATE approvals SET members = NULL WHERE request_id = '{}'", requests[1]));
    harm(
        app,
        &format!("UPDATE approval_identities SET identity_id = '{admin_id}' WHERE request_id = '{}'", requests[1]),
    );
    for request in &requests {
        approve(&ann, request).await.refused(503, "Unavailable", None);
    }
    let tables = told(&signing.admin, 2).await;
    assert!(tables.iter().any(|table| table == "approvals"), "{tables:?}");
}

async fn an_approval_that_lost_its_giver_is_told_once_counted_and_listed_until_it_is_mended(postgres: bool) {
    let signing = signing(postgres).await;
    let (ann, app) = (signing.approver("ann").await, &signing.app);
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"a").await;
    approve(&ann, &request).await.response();
    harm(app, &format!("DELETE FROM approval_identities WHERE request_id = '{request}'"));
    for _ in 0..3 {
        approve(&ann, &request).await.refused(503, "Unavailable", None);
        // Refused rows are looked at again each second.
        tokio::time::sleep(Duration::from_millis(1_200)).await;
    }
    assert_eq!(told(&signing.admin, 1).await, ["approvals"]);
    let ready = app.ready().await;
    assert_eq!(ready.json["refusedRows"], 1, "{}", ready.text());
    let host = Host::running("a test");
    for has_good_mac in [true, false] {
        let listed = app.chancery.foreign_rows(&host).await.unwrap();
        let [row] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!((row.row().table, row.parts()), ("approvals", Some(("approval_identities", 0))));
        assert_eq!(row.has_good_mac(), has_good_mac);
        // A new MAC mends nothing.
        let taken = app.chancery.authenticate_rows(&host, listed).await;
        assert_eq!(taken.unwrap_err().meaning(), Meaning::State);
        harm(app, &format!("UPDATE approvals SET note = 'by hand' WHERE request_id = '{request}'"));
    }
    // Without a backup the whole approval goes.
    harm(app, &format!("DELETE FROM approvals WHERE request_id = '{request}'"));
    for waited in 0.. {
        let ready = app.ready().await;
        if ready.json.get("refusedRows").is_none() {
            break;
        }
        assert!(waited < 100, "{}", ready.text());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    approve(&ann, &request).await.response();
}

async fn whoever_proposed_does_not_approve_it_once_taken_out(postgres: bool) {
    let signing = signing(postgres).await;
    let app = &signing.app;
    let service = signing.deploy("builds", 1).await;
    let propose = async |digit: u8| {
        let digests = [Base64::encode(&[digit; 32])];
        let body = json!({"name": "nightly", "policyUuid": service.policy, "digests": digests});
        let made = signing.admin.post("/api/v2/x509/pre-approvals", body).await;
        made.response()["uuid"].as_str().unwrap().to_owned()
    };
    let [names, all] = [propose(1).await, propose(2).await];
    for id in [&names, &all] {
        harm(app, &format!("DELETE FROM proposal_identities WHERE proposal_id = '{id}'"));
    }
    harm(app, &format!("DELETE FROM proposal_decisions WHERE proposal_id = '{all}'"));
    for id in [names, all] {
        let approved = signing.admin.post(&format!("{PROPOSALS}/{id}/approve"), json!({})).await;
        approved.refused(503, "Unavailable", None);
    }
    let mut tables = told(&signing.admin, 2).await;
    tables.sort();
    assert_eq!(tables, ["proposal_decisions", "proposals"]);
}

async fn a_proposal_that_lost_a_part_is_left_out_of_lists_and_no_other(postgres: bool) {
    let signing = signing(postgres).await;
    let (admin, app) = (&signing.admin, &signing.app);
    let service = signing.deploy("builds", 1).await;
    let propose = async |digit: u8| {
        let digests = [Base64::encode(&[digit; 32])];
        let body = json!({"name": "nightly", "policyUuid": service.policy, "digests": digests});
        let made = admin.post("/api/v2/x509/pre-approvals", body).await;
        made.response()["uuid"].as_str().unwrap().to_owned()
    };
    let [bad, good] = [propose(1).await, propose(2).await];
    harm(app, &format!("DELETE FROM proposal_identities WHERE proposal_id = '{bad}'"));
    admin.get(&format!("{PROPOSALS}/{bad}")).await.refused(503, "Unavailable", None);
    for query in ["", "&waiting=true"] {
        let listed = admin.get(&format!("{PROPOSALS}?kind=PreApproval{query}")).await;
        let items = listed.response()["items"].as_array().unwrap();
        let ids: Vec<_> = items.iter().map(|item| item["objInfo"]["uuid"].as_str().unwrap()).collect();
        assert_eq!(ids, [&good], "{query}");
    }
    assert_eq!(told(admin, 1).await, ["proposal_decisions"]);
}

async fn items_of_a_manifest_are_those_that_were_approved(postgres: bool) {
    let signing = signing(postgres).await;
    let ann = signing.approver("ann").await;
    let service = signing.deploy("builds", 1).await;
    let item = |name: &str| json!({"name": name, "digest": Base64::encode(&[7_u8; 32])});
    let manifest = json!({
        "name": "m", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": [item("a"), item("b")],
    });
    let request = signing.admin.post(REQUESTS, manifest).await.response()["uuid"].as_str().unwrap().to_owned();
    harm(
        &signing.app,
        "UPDATE signing_items SET digest = (SELECT digest FROM signing_requests LIMIT 1) WHERE number = 2",
    );
    approve(&ann, &request).await.refused(503, "Unavailable", None);
}

async fn page_hashes_are_those_that_were_approved(postgres: bool) {
    let signing = signing(postgres).await;
    let ann = signing.approver("ann").await;
    let change = |body: &mut Value| body["pkisigning"]["signingFormat"] = json!("Authenticode");
    let service = signing.deploy_with("programs", 1, change).await;
    let pages = [&[0; 4][..], &[7; 32], &[0, 2, 0, 0], &[0; 32]].concat();
    let body = json!({
        "name": "p", "serviceUuid": service.uuid, "policyUuid": service.policy,
        "digest": Base64::encode(&[7_u8; 32]), "pageHashes": Base64::encode(&pages),
    });
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    harm(&signing.app, &format!("DELETE FROM signing_page_hashes WHERE request_id = '{request}'"));
    approve(&ann, &request).await.refused(503, "Unavailable", None);
    ann.get(&format!("{REQUESTS}/{request}")).await.refused(503, "Unavailable", None);
}

async fn proposals_and_their_decisions_that_somebody_wrote_take_no_effect(postgres: bool) {
    let signing = signing(postgres).await;
    let ann = signing.approver("ann").await;
    let service = signing.deploy("builds", 2).await;
    let admin_id = signing.admin.identity_uuid("Admin2").await;
    let propose = async |digit: u8| {
        let digests = [Base64::encode(&[digit; 32])];
        let body = json!({"name": "nightly", "policyUuid": service.policy, "digests": digests});
        let made = signing.admin.post("/api/v2/x509/pre-approvals", body).await;
        made.response()["uuid"].as_str().unwrap().to_owned()
    };
    let [content, count, decision, good] = [propose(1).await, propose(2).await, propose(3).await, propose(4).await];
    let app = &signing.app;
    harm(
        app,
        &format!(
            "UPDATE proposals SET content = (SELECT content FROM proposals WHERE id = '{good}') WHERE id = '{content}'"
        ),
    );
    harm(app, &format!("UPDATE proposals SET required_at_submission = 1 WHERE id = '{count}'"));
    harm(
        app,
        &format!(
            "INSERT INTO proposal_decisions (proposal_id, version, decision, note, decided_at_ms, roles) \
             VALUES ('{decision}', 77, 'Approve', '', 1, '[]')"
        ),
    );
    harm(
        app,
        &format!(
            "INSERT INTO proposal_identities (proposal_id, version, decision, identity_id, identity_name) \
             VALUES ('{decision}', 77, 'Approve', '{admin_id}', 'Admin2')"
        ),
    );
    let approve = async |id: &str| ann.post(&format!("{PROPOSALS}/{id}/approve"), json!({})).await;
    for id in [&content, &count, &decision] {
        approve(id).await.refused(503, "Unavailable", None);
    }
    assert_eq!(approve(&good).await.response()["approvals"], json!({"given": 1, "required": 2}));
    let tables = told(&signing.admin, 3).await;
    assert!(tables.iter().any(|table| table == "proposals"), "{tables:?}");
    assert!(tables.iter().any(|table| table == "proposal_decisions"), "{tables:?}");
}

async fn pre_approvals_that_somebody_wrote_sign_nothing(postgres: bool) {
    let signing = signing(postgres).await;
    let ann = signing.approver("ann").await;
    let service = signing.deploy("builds", 1).await;
    let admin_id = signing.admin.identity_uuid("Admin1").await;
    let body = json!({
        "name": "window", "policyUuid": service.policy, "submitterUuid": admin_id, "maxRequests": 1,
        "lifetime": {"unit": "Hour", "amount": "1"},
    });
    let made = signing.admin.post("/api/v2/x509/pre-approvals", body).await;
    let window = made.response()["uuid"].as_str().unwrap().to_owned();
    ann.post(&format!("{PROPOSALS}/{window}/approve"), json!({})).await.response();
    let first = signing.submit(&service, b"a").await;
    assert_eq!(signing.words(&first).await, ["Signed", "Approved"]);
    harm(
        &signing.app,
        &format!("UPDATE pre_approvals SET uses_max = 9, state = 'Active', uses = 0 WHERE id = '{window}'"),
    );
    let second = signing.admin.post(REQUESTS, submission(&service, b"b")).await;
    assert_eq!(second.status, 503, "{}", second.text());

    let listed = signing.deploy("lists", 1).await;
    let body = json!({"name": "list", "policyUuid": listed.policy, "digests": [Base64::encode(&[7; 32])]});
    let made = signing.admin.post("/api/v2/x509/pre-approvals", body).await;
    let list = made.response()["uuid"].as_str().unwrap().to_owned();
    ann.post(&format!("{PROPOSALS}/{list}/approve"), json!({})).await.response();
    let digest = format!("(SELECT digest FROM signing_requests WHERE id = '{first}')");
    harm(&signing.app, &format!("UPDATE pre_approval_digests SET digest = {digest} WHERE pre_approval_id = '{list}'"));
    let reply = signing.admin.post(REQUESTS, submission(&listed, b"a")).await;
    if reply.status == 200 {
        let request = reply.response()["uuid"].as_str().unwrap().to_owned();
        assert_eq!(signing.words(&request).await, ["Approval", "Pending"]);
    } else {
        reply.refused(503, "Unavailable", None);
    }
    let tables = told(&signing.admin, 2).await;
    for table in ["pre_approvals", "pre_approval_digests"] {
        assert!(tables.iter().any(|told| told == table), "{table}: {tables:?}");
    }
}

/// Puts another payload in the place of a request's.
fn exchange_payload(signing: &Signing, postgres: bool, request: &str) {
    let good = if postgres { "'good'" } else { "CAST('good' AS BLOB)" };
    harm(&signing.app, &format!("UPDATE signing_payloads SET payload = {good} WHERE request_id = '{request}'"));
}

async fn another_payload_is_shown_to_nobody(postgres: bool) {
    let signing = signing(postgres).await;
    let service = signing.deploy("builds", 1).await;
    let [changed, good] = [signing.submit(&service, b"evil").await, signing.submit(&service, b"kept").await];
    exchange_payload(&signing, postgres, &changed);
    let read = |request: &str| format!("{REQUESTS}/{request}?include=uploadData");
    let ann = signing.approver("ann").await;
    ann.get(&read(&changed)).await.refused(503, "Unavailable", None);
    assert_eq!(told(&signing.admin, 1).await, ["signing_payloads"]);
    assert_eq!(ann.get(&read(&good)).await.response()["uploadData"], "a2VwdA==", "the others go on");
}

async fn another_file_is_neither_shown_nor_handed_out(postgres: bool) {
    let signing = signing(postgres).await;
    let change = |body: &mut Value| body["pkisigning"]["signingFormat"] = json!("Powershell");
    let service = signing.deploy_with("scripts", 0, change).await;
    let request = signing.submit(&service, b"Write-Output evil\r\n").await;
    let (read, signed) =
        (format!("{REQUESTS}/{request}?include=uploadData"), format!("{REQUESTS}/{request}/signed/download"));
    signing.admin.get(&read).await.response();
    assert_eq!(signing.admin.get(&signed).await.status, 200);
    exchange_payload(&signing, postgres, &request);
    for path in [read, signed] {
        signing.admin.get(&path).await.refused(503, "Unavailable", None);
    }
}

async fn other_items_are_neither_shown_nor_submitted_again(postgres: bool) {
    let signing = signing(postgres).await;
    let service = signing.deploy("builds", 1).await;
    let item = |name: &str| json!({"name": name, "digest": Base64::encode(&[7_u8; 32])});
    let manifest = json!({
        "name": "m", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": [item("a"), item("b")],
    });
    let request = signing.admin.post(REQUESTS, manifest).await.response()["uuid"].as_str().unwrap().to_owned();
    let items = format!("{REQUESTS}/{request}/items?pageSize=1");
    signing.admin.get(&items).await.response();
    deny(&signing.approver("ann").await, &request).await.response();
    harm(
        &signing.app,
        "UPDATE signing_items SET digest = (SELECT digest FROM signing_requests LIMIT 1) WHERE number = 2",
    );
    signing.admin.get(&items).await.refused(503, "Unavailable", None);
    assert_eq!(told(&signing.admin, 1).await, ["signing_items"]);
}
