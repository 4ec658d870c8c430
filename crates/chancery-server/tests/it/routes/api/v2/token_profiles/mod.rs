//! POST /api/v2/token-profiles, and what the tests of its neighbours share.

mod alphabets;
mod batch_detokenize;
mod batch_tokenize;
mod budgets;
mod budgets_under_attack;
mod copy;
mod cut_off;
mod detokenize;
mod grants;
mod hmac;
mod patterns;
mod permissions;
mod preview;
mod random;
mod rewrap;
mod sharing;
mod stubs;
mod template;
mod texts;
mod tokenize;
mod tokenized;
mod tokens;
mod track_detokenize;
mod track_tokenize;
mod uuid;
mod versions;

use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    client::{Client, Reply},
};

/// A role that Admin1 and Admin2 hold.
pub(super) const OWN_ROLE: &str = "00000000-0000-0000-726f-000000000001";
/// Another one.
pub(super) const OTHER_OWN_ROLE: &str = "00000000-0000-0000-726f-000000000002";
/// A role that they do not hold.
pub(super) const FOREIGN_ROLE: &str = "00000000-0000-0000-726f-000000000003";
/// An id that nothing has.
pub(super) const NOTHING: &str = "12345678-1234-1234-1234-123456789abc";

const PROFILES: &str = "/api/v2/token-profiles";

/// An installation with a data key, and the administrators logged in.
pub(super) struct Bench {
    pub(super) app: TestApp,
    pub(super) admin: Client,
    pub(super) key: String,
}

/// One profile of it.
pub(super) struct Profile<'b> {
    client: &'b Client,
    pub(super) id: String,
}

impl Bench {
    pub(super) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(super) async fn with(setup: Setup) -> Self {
        let app = TestApp::with(setup).await;
        let admin = app.admin().await;
        let key = new_key(&admin, "card key", "AES-256 Tokenization").await;
        Self { app, admin, key }
    }

    /// A profile like [`cards`] with these members changed.
    pub(super) async fn profile(&self, changes: Value) -> Profile<'_> {
        let reply = self.create(changes).await;
        let id = reply.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
        Profile { client: &self.admin, id }
    }

    /// POST of a profile like [`cards`] with these members changed.
    pub(super) async fn create(&self, changes: Value) -> Reply {
        self.admin.post(PROFILES, changed(self.cards(), &changes)).await
    }

    /// Card numbers that keep the last four digits; every rule for the caller.
    pub(super) fn cards(&self) -> Value {
        json!({
            "objInfo": {"name": "cards"},
            "algorithm": "Ff1",
            "keyUuid": self.key,
            "format": {
                "alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 4, "passThrough": " -",
                "luhn": "Valid",
            },
            "controlRules": rules(&["Tokenize", "Detokenize", "Batch"]),
        })
    }
}

impl Profile<'_> {
    /// POST to one of the calls of this profile.
    pub(super) async fn call(&self, name: &str, body: Value) -> Reply {
        self.client.post(&self.path(name), body).await
    }

    pub(super) fn path(&self, name: &str) -> String {
        if name.is_empty() { format!("{PROFILES}/{}", self.id) } else { format!("{PROFILES}/{}/{name}", self.id) }
    }

    pub(super) async fn read(&self) -> Value {
        self.client.get(&self.path("")).await.response().clone()
    }

    pub(super) async fn patch(&self, changes: Value) -> Reply {
        self.client.patch(&self.path(""), changes).await
    }

    pub(super) async fn tokenize(&self, message: &str) -> String {
        let reply = self.call("tokenize", json!({"message": message})).await;
        reply.response()["token"].as_str().unwrap().to_owned()
    }

    /// Replaces the rules by these, for the caller's role.
    pub(super) async fn allow(&self, operations: &[&str]) {
        let body = json!({"controlRules": rules(operations)});
        self.client.patch(&self.path("permissions"), body).await.response();
    }
}

/// A profile of an algorithm that takes any text, with a key of its own.
pub(super) async fn texts<'b>(bench: &'b Bench, algorithm: &str, changes: Value) -> Profile<'b> {
    let key_type = if algorithm == "Hmac" { "HMAC-SHA-256 Tokenization" } else { "AES-256 Tokenization" };
    let key = new_key(&bench.admin, &format!("{algorithm} key"), key_type).await;
    let body = json!({
        "objInfo": {"name": algorithm}, "algorithm": algorithm, "keyUuid": key, "useIv": algorithm == "AesGcm",
        "controlRules": rules(&["Tokenize", "Detokenize", "Batch"]),
    });
    let reply = bench.admin.post(PROFILES, changed(body, &changes)).await;
    let id = reply.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
    Profile { client: &bench.admin, id }
}

/// Adds a version to a key.
pub(super) async fn rotate(admin: &Client, key: &str) {
    admin.post_nothing(&format!("/api/v2/keys/{key}/rotate")).await.response();
}

/// A new data key of this type.
pub(super) async fn new_key(admin: &Client, name: &str, key_type: &str) -> String {
    let types = admin.post("/api/v2/key-types/stubs", json!({"search": key_type})).await;
    let id = &types.response()["results"][0]["objInfo"]["uuid"];
    let key = admin.post("/api/v2/keys", json!({"name": name, "keyTypeUuid": id})).await;
    key.response()["uuid"].as_str().unwrap().to_owned()
}

/// One rule for each operation, for the caller's role.
pub(super) fn rules(operations: &[&str]) -> Value {
    operations.iter().map(|operation| json!({"roleUuid": OWN_ROLE, "operation": operation})).collect()
}

/// A JSON merge patch (RFC 7396), but that null is a value.
pub(super) fn changed(mut value: Value, changes: &Value) -> Value {
    for (name, change) in changes.as_object().unwrap() {
        value[name] = match (&value[name], change) {
            (Value::Object(_), Value::Object(_)) => changed(value[name].take(), change),
            _ => change.clone(),
        };
    }
    value
}

#[tokio::test]
async fn a_profile_is_answered_as_it_will_be_read() {
    let bench = Bench::new().await;
    let reply = bench.create(json!({})).await;
    let created = reply.response();
    let uuid = created["objInfo"]["uuid"].as_str().unwrap();
    let expected = json!({
        "objInfo": {"name": "cards", "uuid": uuid},
        "algorithm": "Ff1",
        "keyUuid": bench.key,
        "keyVersion": 1,
        "minDecryptVersion": 1,
        "tweakDomain": null,
        "format": {
            "alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepLeading": 0, "keepTrailing": 4,
            "passThrough": " -", "luhn": "Valid", "tokenLength": null, "pattern": null,
            "versionPrefix": null,
        },
        "useIv": false,
        "controlRules": rules(&["Tokenize", "Detokenize", "Batch"]),
        "security": {"domainSize": "100000000", "notes": created["security"]["notes"]},
    });
    assert_eq!(created, &expected);
    assert_eq!(created["security"]["notes"].as_array().unwrap().len(), 4);
    assert_eq!(&bench.admin.get(&format!("{PROFILES}/{uuid}")).await.response(), &created);
    let key = bench.admin.get(&format!("/api/v2/keys/{}", bench.key)).await;
    assert_eq!(key.response()["boundAlgorithm"], "Ff1");
}

#[tokio::test]
async fn what_was_read_makes_another_profile() {
    let bench = Bench::new().await;
    let first = bench.profile(json!({"useIv": true})).await.read().await;
    let body = changed(first.clone(), &json!({"objInfo": {"name": "copy"}}));
    let copy = bench.admin.post(PROFILES, body).await;
    let copy = copy.response();
    assert_ne!(copy["objInfo"]["uuid"], first["objInfo"]["uuid"]);
    assert_eq!(changed(copy.clone(), &json!({"objInfo": first["objInfo"]})), first);
}

#[tokio::test]
async fn missing_members_and_wrong_types_are_argument_parse_errors() {
    let bench = Bench::new().await;
    for member in ["objInfo", "algorithm", "keyUuid", "format"] {
        let mut body = bench.cards();
        body.as_object_mut().unwrap().remove(member);
        let reply = bench.admin.post(PROFILES, body).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("/{member}")));
    }
    for member in ["alphabet", "minLength", "maxLength"] {
        let mut body = bench.cards();
        body["format"].as_object_mut().unwrap().remove(member);
        let reply = bench.admin.post(PROFILES, body).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("/format/{member}")));
    }
    for (changes, field) in [
        (json!({"objInfo": "cards"}), "/objInfo"),
        (json!({"objInfo": {"name": 1}}), "/objInfo/name"),
        (json!({"algorithm": 1}), "/algorithm"),
        (json!({"keyVersion": "1"}), "/keyVersion"),
        (json!({"format": {"minLength": -1}}), "/format/minLength"),
        (json!({"format": {"minLength": 1.5}}), "/format/minLength"),
        (json!({"format": {"keepTrailing": "4"}}), "/format/keepTrailing"),
        (json!({"format": {"tokenLength": [16]}}), "/format/tokenLength"),
        (json!({"useIv": "yes"}), "/useIv"),
        (json!({"controlRules": {}}), "/controlRules"),
        (json!({"controlRules": [{"operation": "Tokenize"}]}), "/controlRules/0/roleUuid"),
        (json!({"controlRules": [{"roleUuid": OWN_ROLE}]}), "/controlRules/0/operation"),
        (json!({"controlRules": [{"roleUuid": OWN_ROLE, "operation": "PartialDetokenize"}]}), "/controlRules/0/reveal"),
    ] {
        bench.create(changes).await.refused(400, "ArgumentParseError", Some(field));
    }
}

#[tokio::test]
async fn what_names_nothing_is_an_invalid_selection() {
    let bench = Bench::new().await;
    let rule = |role: &str, operation: &str| json!({"controlRules": [{"roleUuid": role, "operation": operation}]});
    for (changes, field) in [
        (json!({"algorithm": "FF3-1"}), "/algorithm"),
        (json!({"keyUuid": NOTHING}), "/keyUuid"),
        (json!({"keyUuid": "no uuid"}), "/keyUuid"),
        (json!({"keyVersion": 0}), "/keyVersion"),
        (json!({"keyVersion": 2}), "/keyVersion"),
        (json!({"tweakDomain": NOTHING}), "/tweakDomain"),
        (json!({"format": {"luhn": "Maybe"}}), "/format/luhn"),
        (rule(NOTHING, "Tokenize"), "/controlRules/0/roleUuid"),
        (rule(OWN_ROLE, "Retokenize"), "/controlRules/0/operation"),
    ] {
        bench.create(changes).await.refused(400, "InvalidSelection", Some(field));
    }
}

/// The rules of a format are tested one by one where they are; here, that each member's refusal arrives.
#[tokio::test]
async fn what_breaks_a_rule_is_an_invalid_value() {
    let bench = Bench::new().await;
    let hmac = new_key(&bench.admin, "hmac key", "HMAC-SHA-256 Tokenization").await;
    let partial = |members: Value| {
        let rule = json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4});
        json!({"controlRules": [changed(rule, &members)]})
    };
    for (changes, field) in [
        (json!({"objInfo": {"name": ""}}), "/objInfo/name"),
        (json!({"objInfo": {"name": "x".repeat(256)}}), "/objInfo/name"),
        (json!({"algorithm": "AesSiv"}), "/format/alphabet"),
        (json!({"algorithm": "AesSiv", "useIv": true}), "/useIv"),
        (json!({"algorithm": "AesGcm"}), "/useIv"),
        (json!({"algorithm": "AesGcm", "useIv": true}), "/format/alphabet"),
        (json!({"algorithm": "Hmac"}), "/format/alphabet"),
        (json!({"algorithm": "Hmac", "useIv": true}), "/useIv"),
        (json!({"keyUuid": hmac}), "/keyUuid"),
        (json!({"format": {"alphabet": "0"}}), "/format/alphabet"),
        (json!({"format": {"minLength": 20}}), "/format/minLength"),
        (json!({"format": {"minLength": 10}}), "/format/minLength"),
        (json!({"format": {"maxLength": 513}}), "/format/maxLength"),
        (json!({"format": {"keepLeading": 13}}), "/format/keepLeading"),
        (json!({"format": {"keepTrailing": 13}}), "/format/keepTrailing"),
        (json!({"format": {"passThrough": "1"}}), "/format/passThrough"),
        (json!({"format": {"alphabet": "LowerHex"}}), "/format/luhn"),
        (json!({"format": {"tokenLength": 20}}), "/format/tokenLength"),
        (json!({"format": {"pattern": "x"}}), "/format/pattern"),
        (json!({"format": {"versionPrefix": 1}}), "/format/versionPrefix"),
        (json!({"format": {"luhn": "Ignore", "versionPrefix": 5}}), "/format/versionPrefix"),
        (json!({"minDecryptVersion": 0}), "/minDecryptVersion"),
        (json!({"minDecryptVersion": 2}), "/minDecryptVersion"),
        (json!({"deterministic": false}), "/deterministic"),
        (json!({"timeToLive": {"unit": "Day", "amount": "1"}}), "/timeToLive"),
        (partial(json!({"reveal": 12})), "/controlRules/0/reveal"),
        (partial(json!({"maskChar": "**"})), "/controlRules/0/maskChar"),
        (partial(json!({"operation": "Batch"})), "/controlRules/0/reveal"),
    ] {
        bench.create(changes).await.refused(400, "InvalidValue", Some(field));
    }
    let reply = bench.create(json!({"format": {"minLength": 10}})).await;
    assert!(reply.json["response"]["message"].as_str().unwrap().contains("10^5 = 100000 "), "{}", reply.text());
}

#[tokio::test]
async fn limits_are_exact() {
    let bench = Bench::new().await;
    let many = |count| json!({"objInfo": {"name": "y".repeat(255)}, "controlRules": rules(&vec!["Batch"; count])});
    bench.create(many(1_001)).await.refused(413, "LimitExceeded", Some("/controlRules"));
    bench.create(many(1_000)).await.response();
    let symbols: String = ('\u{100}'..).take(65_536).collect();
    let format = |alphabet: &str| {
        let format = json!({"alphabet": alphabet, "minLength": 6, "passThrough": "", "luhn": "Ignore"});
        json!({"objInfo": {"name": "wide"}, "format": format})
    };
    let above = format!("{symbols}\u{20000}");
    bench.create(format(&above)).await.refused(400, "InvalidValue", Some("/format/alphabet"));
    let wide = bench.profile(format(&symbols)).await;
    let token = wide.tokenize("ĀāĂăĄą").await;
    let reply = wide.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response()["message"], "ĀāĂăĄą");
}

#[tokio::test]
async fn names_are_unique_in_any_letter_case() {
    let bench = Bench::new().await;
    bench.profile(json!({})).await;
    bench.create(json!({"objInfo": {"name": "CARDS"}})).await.refused(409, "AlreadyExists", Some("/objInfo/name"));
}

#[tokio::test]
async fn a_disabled_key_backs_no_new_profile() {
    let bench = Bench::new().await;
    bench.admin.post_nothing(&format!("/api/v2/keys/{}/disable", bench.key)).await.response();
    bench.create(json!({})).await.refused(409, "InvalidState", Some("/keyUuid"));
}

#[tokio::test]
async fn profiles_share_tokens_only_on_purpose() {
    let bench = Bench::new().await;
    let one = bench.profile(json!({})).await;
    let apart = bench.profile(json!({"objInfo": {"name": "apart"}})).await;
    let shared = bench.profile(json!({"objInfo": {"name": "shared"}, "tweakDomain": one.id})).await;
    let token = one.tokenize("4111111111111111").await;
    assert_ne!(apart.tokenize("4111111111111111").await, token);
    assert_eq!(shared.tokenize("4111111111111111").await, token);
    let chained = bench.create(json!({"objInfo": {"name": "chained"}, "tweakDomain": shared.id})).await;
    chained.refused(400, "InvalidValue", Some("/tweakDomain"));
}

#[tokio::test]
async fn the_same_on_postgresql() {
    let bench = Bench::with(Setup { postgres: true, ..Setup::default() }).await;
    let profile = bench.profile(json!({})).await;
    let token = profile.tokenize("4111111111111111").await;
    let reply = profile.call("detokenize", json!({"token": token})).await;
    assert_eq!(reply.response()["message"], "4111111111111111");
    profile.patch(json!({"format": {"minLength": 14}})).await.refused(409, "InvalidState", Some("/format/minLength"));
    bench.create(json!({})).await.refused(409, "AlreadyExists", Some("/objInfo/name"));
}
