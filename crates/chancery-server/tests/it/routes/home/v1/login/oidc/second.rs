//! Logins by a provider among others: the second of two, and roles that demand a second factor.

use chancery_types::RoleId;
use serde_json::json;

use crate::{
    app::PASSWORD,
    people::{LOGIN_COOKIE, People, bind, refused},
};

#[tokio::test]
async fn a_second_administrator_joins_the_session_of_the_first() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let dora = admin.create_person("dora", &[RoleId::ADMINISTRATOR]).await;
    bind(&admin, &people.provider, &dora, "sub-dora").await;
    // By a password, then by the provider, whose answer comes without the session's cookie.
    let browser = people.app.nobody();
    assert_eq!(browser.log_in("Admin1", PASSWORD).await.status, 200);
    let begun = people.begin(&browser).await;
    assert_eq!(begun.asked["prompt"], "login", "the first of them may still be logged in there");
    let before = browser.cookie_value("__Host-chancery");
    browser.plant_cookie("__Host-chancery", None);
    assert_eq!(people.come_back(&browser, &begun, json!({"sub": "sub-dora"})).await.status, 303);
    let state = browser.get("/home/v1/login").await.json["response"].clone();
    assert_eq!((&state["fullyLoggedIn"], &state["management"]), (&json!(true), &json!(true)));
    let names: Vec<_> = state["identities"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, ["Admin1", "dora"]);
    let old = people.app.nobody();
    old.plant_cookie("__Host-chancery", before.as_deref());
    assert_eq!(old.get("/home/v1/login").await.json["response"]["identities"], json!([]), "it is replaced");
    let ways = browser.get("/api/v2/whoami").await.response()["identities"].clone();
    assert_eq!((&ways[0]["login"]["way"], &ways[1]["login"]["way"]), (&json!("Password"), &json!("Oidc")));
    // The other way round.
    let browser = people.app.nobody();
    let begun = people.begin(&browser).await;
    assert_eq!(people.come_back(&browser, &begun, json!({"sub": "sub-dora"})).await.status, 303);
    assert_eq!(browser.get("/home/v1/login").await.json["response"]["fullyLoggedIn"], json!(false));
    assert_eq!(browser.log_in("Admin1", PASSWORD).await.json["response"]["fullyLoggedIn"], json!(true));
}

#[tokio::test]
async fn one_person_is_not_two() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let dora = admin.create_person("dora", &[RoleId::ADMINISTRATOR]).await;
    bind(&admin, &people.provider, &dora, "sub-dora").await;
    let browser = people.app.nobody();
    assert_eq!(browser.log_in("dora", PASSWORD).await.status, 200);
    let begun = people.begin(&browser).await;
    refused(&people.come_back(&browser, &begun, json!({"sub": "sub-dora"})).await, 401, "counts once");
    let begun = people.begin(&browser).await;
    refused(&people.come_back(&browser, &begun, json!({})).await, 401, "waits for a further login");
    let state = browser.get("/home/v1/login").await.json["response"].clone();
    assert_eq!((&state["fullyLoggedIn"], state["identities"].as_array().unwrap().len()), (&json!(false), 1));
    // A half-made session that has ended meanwhile is not taken up again.
    let begun = people.begin(&browser).await;
    people.app.clock.advance_ms(301_000);
    assert_eq!(people.come_back(&browser, &begun, json!({})).await.status, 303);
    let state = browser.get("/home/v1/login").await.json["response"].clone();
    let names: Vec<_> = state["identities"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!((names.as_slice(), browser.cookie_value(LOGIN_COOKIE)), (&[json!("carol")][..], None));
}

#[tokio::test]
async fn a_second_factor_is_one_that_the_provider_names() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let role = json!({"name": "careful", "loginsRequired": 1, "perms": ["Signing:Approve"], "secondFactor": "Totp"});
    let role = admin.post("/api/v2/roles", role).await.response()["uuid"].clone();
    admin.patch(&format!("/api/v2/identities/{}", people.carol), json!({"roleUuids": [role]})).await.response();
    let browser = people.app.nobody();
    let come_back = async |changes| {
        let begun = people.begin(&browser).await;
        (people.come_back(&browser, &begun, changes).await, begun)
    };
    // Nothing counts as one before somebody says what does.
    refused(&come_back(json!({"acr": "gold"})).await.0, 401, "The login is refused");
    people.change_provider(json!({"secondFactorAcr": ["gold", "urn:mfa"]})).await;
    for acr in [json!(null), json!("silver"), json!("Gold"), json!(["gold"])] {
        refused(&come_back(json!({"acr": acr})).await.0, 401, "The login is refused");
    }
    let (reply, begun) = come_back(json!({"acr": "urn:mfa"})).await;
    assert_eq!((reply.status.as_u16(), &*begun.asked["acr_values"]), (303, "gold urn:mfa"), "{}", reply.text());
    let myself = browser.get("/api/v2/whoami").await.response()["identities"][0].clone();
    assert_eq!(myself["login"]["way"], "Oidc+Acr");
    // What counts no more counts no more.
    people.change_provider(json!({"secondFactorAcr": ["gold"]})).await;
    browser.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
}
