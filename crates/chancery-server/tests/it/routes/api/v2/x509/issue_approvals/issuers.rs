//! What an authority demands holds for everything that it issues, and what happens to it while something waits.

use chancery_types::Perm;
use serde_json::{Value, json};

use super::{GENERATE, House, approve, text, waits};
use crate::{
    app::PASSWORD,
    certificates::{profile, with},
    client::Reply,
    signing::PROPOSALS,
};

impl House {
    pub(super) async fn demand(&self, issuer: &str, approval: Value) -> Reply {
        self.signing.admin.json("PUT", &format!("/api/v2/x509/{issuer}/approval"), &approval).await
    }

    async fn revoke_root(&self, reason: &str) {
        let path = format!("/api/v2/x509/{}/revoke", self.signing.root);
        self.signing.admin.post(&path, json!({"reason": reason})).await.response();
    }
}

#[tokio::test]
async fn no_profile_leads_round_an_authority_that_demands_approvals() {
    let house = House::new().await;
    let root = house.signing.root.clone();
    let built_in = profile(&house.asker, "TLS Client").await;
    let set = house.demand(&root, json!({"numApprovals": 1})).await;
    assert_eq!(*set.response(), json!({"approval": {"numApprovals": 1}}));
    let read = house.asker.get(&format!("/api/v2/x509/{root}")).await;
    assert_eq!(read.response()["approval"], json!({"numApprovals": 1}));
    let lax = house.profile("lax", json!({"numApprovals": 0})).await;
    let strict = house.profile("strict", json!({"numApprovals": 2})).await;
    for (profile, required) in [(&built_in, 1), (&lax, 1), (&strict, 2)] {
        let reply = house.asker.post(GENERATE, house.wanted(profile)).await;
        waits(&reply);
        assert_eq!(reply.response()["approvals"]["required"], required);
    }
    assert_eq!(house.issued().await, 0);
    let proposal = house.ask(&built_in).await;
    assert_eq!(approve(&house.ann, &proposal).await.response()["state"], "Issued");
    // A root of somebody's own is no authority that anybody trusts because of this one.
    let own = with(house.wanted(&lax), json!({"issuerUuid": null}));
    assert!(house.asker.post(GENERATE, own).await.response()["certificate"].is_string());
}

#[tokio::test]
async fn less_is_demanded_only_with_the_approvals_that_are() {
    let house = House::new().await;
    let root = house.signing.root.clone();
    let lax = house.profile("lax", json!({"numApprovals": 0})).await;
    house.demand(&root, json!({"numApprovals": 2})).await.response();
    let waiting = house.ask(&lax).await;
    let asked = house.demand(&root, json!({"numApprovals": 0})).await;
    assert_eq!(asked.response()["approval"], json!({"numApprovals": 2}));
    assert_eq!(asked.response()["pendingChange"]["approvals"], json!({"given": 0, "required": 2}));
    let proposal = text(asked.response(), &["pendingChange", "uuid"]);
    assert_eq!(house.detail(&proposal).await["issuerApproval"]["after"], json!({"numApprovals": 0}));
    approve(&house.ann, &proposal).await.response();
    house.ask(&lax).await;
    assert_eq!(approve(&house.bob, &proposal).await.response()["state"], "Applied");
    let made = house.asker.post(GENERATE, house.wanted(&lax)).await;
    assert!(made.response()["certificate"].is_string(), "{}", made.text());
    let read = house.asker.get(&format!("/api/v2/x509/{root}")).await;
    assert_eq!(read.response().get("approval"), None);
    // What waited still takes two.
    assert_eq!(approve(&house.ann, &waiting).await.response()["approvals"], json!({"given": 1, "required": 2}));
    let by_issuer = house.ann.get(&format!("{PROPOSALS}?issuerUuid={root}&kind=Issuer")).await;
    assert_eq!(by_issuer.response()["total"], 1);
}

#[tokio::test]
async fn an_authority_with_another_key_demands_the_same() {
    let house = House::new().await;
    let admin = &house.signing.admin;
    let issuing = json!({
        "certProfileUuid": profile(admin, "Issuing Certificate Authority").await, "subjectOneline": "CN=Issuing",
        "trustCert": true, "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
    });
    let issuing = admin.post(GENERATE, with(house.wanted(""), issuing)).await;
    let issuing = text(issuing.response(), &["certificateUuid"]);
    house.demand(&issuing, json!({"numApprovals": 1, "selfApproval": "Never"})).await.response();
    let period = json!({"certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}});
    let rekeyed = waits(&admin.post(&format!("/api/v2/x509/{issuing}/rekey"), period).await);
    let made = house.certificate(approve(&house.ann, &rekeyed).await.response()).await;
    assert_eq!(made["approval"], json!({"numApprovals": 1, "selfApproval": "Never"}));
    let leaf = with(
        house.wanted(&profile(admin, "TLS Client").await),
        json!({"issuerUuid": made["uuid"], "certParams": {"validityPeriod": {"unit": "Day", "amount": "1"}}}),
    );
    waits(&house.asker.post(GENERATE, leaf).await);
}

#[tokio::test]
async fn a_revoked_authority_issues_nothing_whatever_was_approved() {
    let house = House::new().await;
    let profile = house.profile("by one", json!({"numApprovals": 1})).await;
    let [held, revoked] = [house.ask(&profile).await, house.ask(&profile).await];
    house.revoke_root("certificateHold").await;
    approve(&house.ann, &held).await.refused(409, "InvalidState", None);
    assert_eq!(house.detail(&held).await["state"], "Approval", "a hold passes");
    house.signing.admin.post_nothing(&format!("/api/v2/x509/{}/release", house.signing.root)).await.response();
    assert_eq!(approve(&house.ann, &held).await.response()["state"], "Issued");
    house.revoke_root("cACompromise").await;
    let failed = approve(&house.ann, &revoked).await;
    assert_eq!([&failed.response()["state"], &failed.response()["approvalState"]], ["Failed", "Approved"]);
    assert!(text(failed.response(), &["reason"]).contains("revoked"), "{}", failed.text());
    assert_eq!(house.detail(&revoked).await["reason"], failed.response()["reason"]);
    assert_eq!(house.issued().await, 1);
    approve(&house.bob, &revoked).await.refused(409, "InvalidState", None);
}

/// Whoever asked held the role with two logins then; what counts is whether they would be given it when it is issued.
#[tokio::test]
async fn what_takes_two_persons_is_issued_only_where_those_who_asked_still_are_that() {
    let house = House::new().await;
    let admin = &house.signing.admin;
    house.demand(&house.signing.root, json!({"numApprovals": 1})).await.response();
    let perms = [Perm::CertManageGenerate, Perm::CertManageManage];
    let role = json!({"name": "authorities", "loginsRequired": 2, "perms": perms});
    let role = text(admin.post("/api/v2/roles", role).await.response(), &["uuid"]);
    for name in ["carla", "dan"] {
        admin.create_person(name, &[role.parse().unwrap()]).await;
    }
    let both = house.signing.app.logged_in(&[("carla", PASSWORD), ("dan", PASSWORD)]).await;
    let ask = async |name: &str| {
        let period = json!({"validityPeriod": {"unit": "Month", "amount": "1"}});
        let wanted = house.wanted(&profile(admin, name).await);
        waits(&both.post(GENERATE, with(wanted, json!({"subjectOneline": "CN=new", "certParams": period}))).await)
    };
    let powerful = ["Issuing Certificate Authority", "OCSP Responder", "Time Stamping"];
    let mut waiting = Vec::new();
    for name in powerful {
        let allowed = ask(name).await;
        assert_eq!(approve(&house.ann, &allowed).await.response()["state"], "Issued", "{name}");
        waiting.push(ask(name).await);
    }
    let leaf = ask("TLS Client").await;
    let fewer = json!({"perms": [Perm::CertManageGenerate]});
    admin.patch(&format!("/api/v2/roles/{role}"), fewer).await.response();
    for proposal in waiting {
        let failed = approve(&house.ann, &proposal).await;
        assert_eq!([&failed.response()["state"], &failed.response()["approvalState"]], ["Failed", "Approved"]);
        let reason = text(failed.response(), &["reason"]);
        assert!(reason.contains("made by two persons with CertManage:Manage"), "{reason}");
    }
    assert_eq!(house.issued().await, powerful.len());
    assert_eq!(approve(&house.ann, &leaf).await.response()["state"], "Issued", "a leaf takes no such right");
}

#[tokio::test]
async fn only_authorities_demand_and_only_two_people_say_so() {
    let house = House::new().await;
    let lax = house.profile("lax", json!({"numApprovals": 0})).await;
    let leaf = house.asker.post(GENERATE, house.wanted(&lax)).await;
    let leaf = text(leaf.response(), &["certificateUuid"]);
    house.demand(&leaf, json!({"numApprovals": 1})).await.refused(409, "InvalidState", None);
    let root = house.signing.root.clone();
    house.demand(&root, json!({"numApprovals": 65})).await.refused(400, "InvalidValue", Some("/numApprovals"));
    house.demand(&root, json!({})).await.refused(400, "ArgumentParseError", Some("/numApprovals"));
    let path = format!("/api/v2/x509/{root}/approval");
    let alone = house.asker.json("PUT", &path, &json!({"numApprovals": 0})).await;
    alone.refused(403, "NotAuthorized", None);
}
