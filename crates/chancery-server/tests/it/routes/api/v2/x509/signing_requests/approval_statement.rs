//! GET /api/v2/x509/signing-requests/{uuid}/approval-statement, and the approval that it is for.

use serde_json::json;

use crate::{
    authenticator::{ORIGIN, passkeys_path as path},
    signed_approvals::{approve_with, approver, demanding, signing, statements},
};

#[tokio::test]
async fn an_approval_is_signed_and_kept_with_what_was_signed() {
    let signing = signing().await;
    let service = demanding(&signing, 2).await;
    let (mut ann, mut bob) = (approver(&signing, "ann").await, approver(&signing, "bob").await);
    let request = signing.submit(&service, b"payload").await;
    let statement = &statements(&ann.client, &request).await[0];
    let text = statement["statement"].as_str().unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        (lines[0], lines[2], lines[3]),
        ("chancery signed approval 1", format!("request {request}").as_str(), "decision Approve")
    );
    assert_eq!(lines[4], "digest 239f59ed55e737c77147cf55ad0c1b030b6d7ee748a7426952f9b852d5a935e5");
    assert_eq!((lines[5], lines[6]), ("content file", "consequence Signature CMS Sha2_256"));
    assert!(lines[8].starts_with(&format!("policy {} ", service.policy)), "{text}");
    assert_eq!(
        (lines[9], lines[10]),
        (format!("approver {}", ann.uuid).as_str(), format!("session {}", ann.uuid).as_str())
    );
    assert_eq!(lines[12], "until 2026-06-21T12:05:00.500Z");

    let missing = approve_with(&ann.client, &request, Vec::new()).await;
    missing.refused(403, "NotAuthorized", Some("/assertions"));
    assert!(missing.text().contains(&format!("{ORIGIN}/#/approvals/request/{request}")), "{}", missing.text());
    signing.admin.saw_audited("SigningRequestApprove").await;
    assert_eq!(ann.approve(&request).await.response()["state"], "Approval");
    assert_eq!(bob.approve(&request).await.response()["state"], "Signed");

    let read = signing.read(&request).await;
    let kept = &read["approvals"][0]["signatures"][0];
    assert_eq!((&kept["identityUuid"], &kept["publicKey"]), (&json!(ann.uuid), &ann.passkey["publicKey"]));
    assert!(kept["statement"].as_str().unwrap().starts_with("chancery signed approval 1\n"));
    let used = ann.client.get(&path(&ann.uuid)).await.response()["results"][0]["lastUsedAt"].clone();
    assert_eq!(used, "2026-06-21T12:00:00.500Z");
    let records = signing.admin.get(&format!("/api/v2/audit?objectUuid={request}&outcome=Success")).await;
    let records = records.response()["items"].as_array().unwrap().clone();
    let told = records.iter().filter(|record| record["detail"]["passkeys"].is_array()).count();
    assert_eq!(told, 2, "{records:?}");
}
