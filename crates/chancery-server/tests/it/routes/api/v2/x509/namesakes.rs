//! Revocation lists of an authority and of its successor by POST /api/v2/x509/{uuid}/rekey: another key, and the same name, for
//! which each list speaks (RFC 5280, 5).

use chancery_testkit::Tool;
use serde_json::{Value, json};

use super::{
    elsewhere::{Bench, EC, installation},
    renew::uuid,
};
use crate::{
    app::TestApp,
    certificates::{body, generate, issued, profile, with},
    client::Client,
};

/// The complete list or the delta list of an authority, as OpenSSL prints it.
async fn printed(client: &Client, issuer: &str, ending: &str) -> String {
    let reply = client.get(&format!("/crl/{issuer}{ending}")).await;
    assert_eq!(reply.status.as_u16(), 200, "{}", reply.text());
    Tool::new("openssl35").args(["crl", "-inform", "DER", "-noout", "-text"]).input(reply.body).run().text()
}

/// All four lists, from this node and from another one.
async fn lists(app: &TestApp, issuers: [&str; 2]) -> Vec<(&'static str, String)> {
    let mut lists = Vec::new();
    for client in [app.nobody(), Client::new(app.other_node().await)] {
        for issuer in issuers {
            for ending in [".crl", ".delta.crl"] {
                lists.push((ending, printed(&client, issuer, ending).await));
            }
        }
    }
    lists
}

async fn act(client: &Client, certificate: &Value, what: &str, body: Value) {
    client.post(&format!("/api/v2/x509/{}/{what}", uuid(certificate)), body).await.response();
}

fn serial(certificate: &Value) -> String {
    format!("Serial Number: {}\n", certificate["serialNumber"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_authority_revoked_its_successor_says_and_the_other_way_round() {
    let app = installation().await;
    let admin = app.admin().await;
    let root = generate(&admin, body(&admin, "Root Certificate Authority").await).await;
    let old = issued(&admin, "Issuing Certificate Authority", &uuid(&root)).await;
    let before = issued(&admin, "TLS Client", &uuid(&old)).await;
    act(&admin, &before, "revoke", json!({"reason": "superseded"})).await;
    let rekey = format!("/api/v2/x509/{}/rekey", uuid(&old));
    let new = admin.post(&rekey, json!({})).await.response().clone();
    let (old_id, new_id) = (uuid(&old), uuid(&new));
    let issuers = [old_id.as_str(), new_id.as_str()];
    for (ending, list) in lists(&app, issuers).await {
        assert!(list.contains(&serial(&before)) && list.contains("2.5.29.60"), "{ending}: {list}");
        assert!(list.contains("CRL Number: \n                1\n"), "counted for each key: {list}");
    }

    let (leaf, held) =
        (issued(&admin, "TLS Client", &uuid(&old)).await, issued(&admin, "TLS Client", &uuid(&old)).await);
    let of_new = issued(&admin, "TLS Client", &uuid(&new)).await;
    for (certificate, reason) in [(&leaf, "keyCompromise"), (&held, "certificateHold"), (&of_new, "superseded")] {
        act(&admin, certificate, "revoke", json!({"reason": reason})).await;
    }
    for (ending, list) in lists(&app, issuers).await {
        for certificate in [&leaf, &held, &of_new] {
            assert!(list.contains(&serial(certificate)), "{ending}: {list}");
        }
    }
    act(&admin, &held, "release", json!({})).await;
    for (ending, list) in lists(&app, issuers).await {
        let is_delta = ending == ".delta.crl";
        assert_eq!(list.contains(&serial(&held)), is_delta, "{ending}: {list}");
        assert_eq!(list.contains("Remove From CRL"), is_delta, "{ending}: {list}");
    }
    act(&admin, &held, "revoke", json!({"reason": "keyCompromise"})).await;
    for (ending, list) in lists(&app, issuers).await {
        assert!(list.contains(&serial(&held)) && !list.contains("Remove From CRL"), "{ending}: {list}");
    }
    does_not_verify(&app, [&root, &old, &new, &leaf]).await;
}

/// OpenSSL believes the successor's list about what the authority issued.
async fn does_not_verify(app: &TestApp, [root, old, new, leaf]: [&Value; 4]) {
    let bench = Bench::new();
    let pem = |certificate: &Value| certificate["certificate"].as_str().unwrap().to_owned();
    bench.write("root.pem", pem(root));
    bench.write("issuing.pem", [pem(old), pem(new)].join("\n"));
    bench.write("leaf.pem", pem(leaf));
    let mut lists = Vec::new();
    for issuer in [root, new] {
        bench.write("list.crl", app.nobody().get(&format!("/crl/{}.crl", uuid(issuer))).await.body);
        lists.extend(bench.openssl("crl -inform DER -in list.crl"));
    }
    bench.write("lists.pem", lists);
    let line = "verify -x509_strict -crl_check_all -extended_crl -CRLfile lists.pem -CAfile root.pem \
                -untrusted issuing.pem leaf.pem";
    let ran = Tool::new("openssl35").args(line.split_whitespace()).folder(bench.path()).try_run();
    assert!(!ran.status.success() && ran.stderr.contains("certificate revoked"), "{}", ran.stderr);
}

/// What an authority revoked elsewhere its successor does not know, either.
#[tokio::test(flavor = "multi_thread")]
async fn lists_of_the_successor_of_an_authority_from_elsewhere_do_not_say_that_they_keep_what_has_expired() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let imported = bench.imported_root(&admin).await;
    let named = json!({"certProfileUuid": profile(&admin, "Root Certificate Authority").await});
    let new = uuid(admin.post(&format!("/api/v2/x509/{imported}/rekey"), named).await.response());
    let leaf = issued(&admin, "TLS Client", &imported).await;
    act(&admin, &leaf, "revoke", json!({"reason": "superseded"})).await;
    for (ending, list) in lists(&app, [&imported, &new]).await {
        assert!(list.contains(&serial(&leaf)) && !list.contains("2.5.29.60"), "{ending}: {list}");
    }
}

/// Lists that were signed before are not the whole any more when another authority of the name is trusted.
#[tokio::test(flavor = "multi_thread")]
async fn an_authority_that_comes_from_elsewhere_changes_the_lists_of_its_namesakes() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    let named = json!({"subjectOneline": "CN=ROOT,O=Elsewhere,C=US"});
    let own = uuid(&generate(&admin, with(body(&admin, "Root Certificate Authority").await, named)).await);
    assert!(printed(&app.nobody(), &own, ".crl").await.contains("2.5.29.60"));
    let trusted = json!({"certificates": bench.read("root.pem"), "trustCert": true});
    let imported = admin.post("/api/v2/x509/import", trusted).await.response().clone();
    let delta = printed(&app.nobody(), &own, ".delta.crl").await;
    assert!(!delta.contains("2.5.29.60"), "{delta}");
    assert!(delta.contains("Delta CRL Indicator: critical\n                2\n"), "another base: {delta}");
    act(&admin, &imported["certificates"][0], "revoke", json!({"reason": "superseded"})).await;
    let number = imported["certificates"][0]["serialNumber"].as_str().unwrap();
    assert!(printed(&app.nobody(), &own, ".crl").await.contains(number));
}
