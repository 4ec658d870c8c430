//! GET /api/v2/token-profiles/template/{name}.

use serde_json::json;

use super::super::{Bench, rules};

#[tokio::test]
async fn each_template_makes_a_profile_that_works() {
    let bench = Bench::new().await;
    for (name, sample) in [
        ("card number keep last 4", "4111 1111 1111 1111"),
        ("card number keep 6+4", "4111-1111-1111-1112"),
        ("card number in full", "378282246310005"),
        ("card number that never passes Luhn", "6205500000000000004"),
        ("phone number", "+1 (555) 010-9999"),
        ("IBAN", "GB29 NWBK 6016 1331 9268 19"),
        ("UUID", "123e4567-e89b-12d3-a456-426614174000"),
        ("free text", "to be, or not to be?"),
    ] {
        let path = format!("/api/v2/token-profiles/template/{}", name.replace(' ', "%20"));
        let mut draft = bench.admin.get(&path).await.response().clone();
        assert_eq!(draft["objInfo"]["name"], name);
        draft["keyUuid"] = json!(bench.key);
        draft["controlRules"] = rules(&["Tokenize", "Detokenize"]);
        let profile = bench.profile(draft.clone()).await;
        assert_eq!(profile.read().await["security"]["domainSize"], draft["security"]["domainSize"]);
        let token = profile.tokenize(sample).await;
        assert_ne!(token, sample, "{name}");
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], sample, "{name}");
    }
}

#[tokio::test]
async fn names_are_found_in_any_letter_case_and_others_are_not() {
    let bench = Bench::new().await;
    let reply = bench.admin.get("/api/v2/token-profiles/template/Card%20Number%20Keep%206%2B4").await;
    assert_eq!(reply.response()["format"]["keepLeading"], 6);
    for unknown in ["ssn", "card%20number", "%FF"] {
        let reply = bench.admin.get(&format!("/api/v2/token-profiles/template/{unknown}")).await;
        reply.refused(404, "InvalidSelection", None);
    }
}
