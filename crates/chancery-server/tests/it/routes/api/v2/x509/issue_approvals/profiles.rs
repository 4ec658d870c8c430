//! Nobody gets round a profile's approvals by changing it.

use serde_json::{Value, json};

use super::{GENERATE, House, PROFILES, approve, text, waits};
use crate::signing::PROPOSALS;

impl House {
    async fn patch(&self, profile: &str, change: Value) -> Value {
        self.signing.admin.patch(&format!("{PROFILES}/{profile}"), change).await.response().clone()
    }

    /// Changes a profile, with the approvals that this takes.
    async fn agreed(&self, profile: &str, change: Value) -> Value {
        let pending = self.patch(profile, change).await["pendingChange"].clone();
        let proposal = text(&pending, &["uuid"]);
        let mut last = pending;
        for client in [&self.ann, &self.bob] {
            if last["state"] == "Approval" {
                last = approve(client, &proposal).await.response().clone();
            }
        }
        last
    }
}

#[tokio::test]
async fn a_change_takes_the_approvals_that_the_profile_demands() {
    let house = House::new().await;
    let profile = house.profile("by two", json!({"numApprovals": 2})).await;
    let read = async || house.signing.admin.get(&format!("{PROFILES}/{profile}")).await.response().clone();
    let before = read().await;
    assert_eq!(before["approval"], json!({"numApprovals": 2}));
    let asked = house.patch(&profile, json!({"approval": {"numApprovals": 0}})).await;
    assert_eq!(asked["approval"], before["approval"], "as it is");
    assert_eq!(asked["pendingChange"]["approvals"], json!({"given": 0, "required": 2}));
    let proposal = text(&asked, &["pendingChange", "uuid"]);
    let detail = house.detail(&proposal).await;
    assert_eq!((&detail["kind"], &detail["certProfileUuid"]), (&json!("CertProfile"), &json!(profile)));
    assert_eq!(detail["certProfile"]["after"]["approval"], json!({"numApprovals": 0}));
    assert_eq!(approve(&house.ann, &proposal).await.response()["state"], "Approval");
    assert_eq!(read().await, before);
    waits(&house.asker.post(GENERATE, house.wanted(&profile)).await);
    assert_eq!(approve(&house.bob, &proposal).await.response()["state"], "Applied");
    assert_eq!(read().await["approval"], json!({"numApprovals": 0}));
    let made = house.asker.post(GENERATE, house.wanted(&profile)).await;
    assert!(made.response()["certificate"].is_string(), "{}", made.text());
    // Now it changes at once, and a profile that nobody approves may become one that somebody does.
    let changed = house.patch(&profile, json!({"approval": {"numApprovals": 1}})).await;
    assert_eq!((&changed["approval"]["numApprovals"], changed.get("pendingChange")), (&json!(1), None));
    house.ask(&profile).await;
    // What was read is written back and changes nothing.
    let same = house.patch(&profile, changed.clone()).await;
    assert_eq!(same, changed);
    let denied = house.patch(&profile, json!({"enabled": false})).await;
    let path = format!("{PROPOSALS}/{}/deny", text(&denied, &["pendingChange", "uuid"]));
    assert_eq!(house.signing.admin.post_nothing(&path).await.response()["state"], "Denied");
}

#[tokio::test]
async fn the_stricter_of_two_counts_holds_for_what_waits() {
    let house = House::new().await;
    let lowered = house.profile("lowered", json!({"numApprovals": 2})).await;
    let raised = house.profile("raised", json!({"numApprovals": 1})).await;
    let [low, high] = [house.ask(&lowered).await, house.ask(&raised).await];
    assert_eq!(house.agreed(&lowered, json!({"approval": {"numApprovals": 1}})).await["state"], "Applied");
    assert_eq!(house.agreed(&raised, json!({"approval": {"numApprovals": 2}})).await["state"], "Applied");
    for proposal in [&low, &high] {
        let first = approve(&house.ann, proposal).await;
        assert_eq!(first.response()["approvals"], json!({"given": 1, "required": 2}));
        assert_eq!(approve(&house.bob, proposal).await.response()["state"], "Issued");
    }
}

#[tokio::test]
async fn a_profile_that_was_changed_issues_nothing_else_than_was_approved() {
    let house = House::new().await;
    let profile = house.profile("by one", json!({"numApprovals": 1})).await;
    let [changed, disabled] = [house.ask(&profile).await, house.ask(&profile).await];
    let change = json!({"extendedKeyUsages": ["clientAuth", "serverAuth"]});
    assert_eq!(house.agreed(&profile, change).await["state"], "Applied");
    let failed = approve(&house.ann, &changed).await;
    assert_eq!([&failed.response()["state"], &failed.response()["approvalState"]], ["Failed", "Approved"]);
    assert!(text(failed.response(), &["reason"]).contains("no longer what was asked for"), "{}", failed.text());
    assert_eq!(house.agreed(&profile, json!({"enabled": false})).await["state"], "Applied");
    let failed = approve(&house.ann, &disabled).await;
    assert!(text(failed.response(), &["reason"]).contains("disabled"), "{}", failed.text());
    // Deleted, since nothing was issued under it.
    let gone = house.profile("gone", json!({"numApprovals": 1})).await;
    let waiting = house.ask(&gone).await;
    house.signing.admin.delete(&format!("{PROFILES}/{gone}")).await.response();
    let failed = approve(&house.ann, &waiting).await;
    assert_eq!(failed.response()["state"], "Failed", "{}", failed.text());
    assert_eq!(house.issued().await, 0);
}

#[tokio::test]
async fn of_two_changes_of_the_same_profile_one_applies() {
    let house = House::new().await;
    let profile = house.profile("by one", json!({"numApprovals": 1})).await;
    let change = async |count: u32| {
        text(&house.patch(&profile, json!({"approval": {"numApprovals": count}})).await, &["pendingChange", "uuid"])
    };
    let [one, other] = [change(2).await, change(3).await];
    assert_eq!(approve(&house.ann, &one).await.response()["state"], "Applied");
    assert_eq!(approve(&house.ann, &other).await.response()["state"], "Approval", "two demand two");
    assert_eq!(approve(&house.bob, &other).await.response()["state"], "Failed");
    let taken = house.profile("taken", json!({"numApprovals": 0})).await;
    let renamed = house.patch(&taken, json!({"objInfo": {"name": "free"}})).await;
    assert_eq!(renamed["objInfo"]["name"], "free");
    let path = format!("{PROFILES}/{profile}");
    let reply = house.signing.admin.patch(&path, json!({"objInfo": {"name": "free"}})).await;
    reply.refused(409, "AlreadyExists", Some("/objInfo/name"));
}

#[tokio::test]
async fn rules_are_read_strictly() {
    let house = House::new().await;
    let nobody = "00000000-0000-0000-0000-000000000001";
    for (approval, code, field) in [
        (json!({}), "ArgumentParseError", "/approval/numApprovals"),
        (json!({"selfApproval": "Never"}), "ArgumentParseError", "/approval/numApprovals"),
        (json!({"numApprovals": -1}), "InvalidValue", "/approval/numApprovals"),
        (json!({"numApprovals": 65}), "InvalidValue", "/approval/numApprovals"),
        (
            json!({"numApprovals": 1, "approvalSteps": [{"roleUuids": [nobody], "numApprovals": 2}]}),
            "InvalidValue",
            "/approval/approvalSteps",
        ),
        (
            json!({"numApprovals": 1, "approvalSteps": [{"roleUuids": [nobody], "numApprovals": 1}]}),
            "InvalidSelection",
            "/approval/approvalSteps/0/roleUuids/0",
        ),
        (
            json!({"numApprovals": 1, "requestLifetime": {"unit": "Day", "amount": "0"}}),
            "InvalidValue",
            "/approval/requestLifetime/amount",
        ),
        (json!({"numApprovals": 1, "selfApproval": "Always"}), "InvalidSelection", "/approval/selfApproval"),
    ] {
        let body = json!({
            "objInfo": {"name": "x"}, "validityPeriod": {"unit": "Day", "amount": "1"}, "approval": approval,
        });
        house.signing.admin.post(PROFILES, body).await.refused(400, code, Some(field));
    }
}
