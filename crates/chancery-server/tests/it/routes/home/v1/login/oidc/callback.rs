//! GET /home/v1/login/oidc/callback.

use std::{cell::Cell, sync::atomic::Ordering, time::Duration};

use chancery_core::{Limits, LoginLimits};
use serde_json::{Value, json};

use crate::{
    app::until,
    client::Client,
    people::{CALLBACK, ISSUER, LOGIN_COOKIE, ORIGIN, People, SECRET, bind, callback, refused},
    workloads::application,
};

const ENDED: &str = "This login has ended";
const UNBOUND: &str = "stands for nobody";
const NOT_TAKEN: &str = "is not taken here";
const AWAY: &str = "cannot be reached";

#[tokio::test]
async fn a_person_logs_in() {
    let people = People::new().await;
    let browser = people.app.nobody();
    let begun = people.begin(&browser).await;
    let reply = people.come_back(&browser, &begun, json!({})).await;
    assert_eq!(reply.status, 303, "{}", reply.text());
    assert_eq!(reply.headers["location"], "/");
    let cookies: Vec<_> = reply.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap()).collect();
    assert!(cookies[0].starts_with("__Host-chancery=") && cookies[0].ends_with("SameSite=Strict"), "{cookies:?}");
    assert_eq!((cookies.len(), browser.cookie_value(LOGIN_COOKIE)), (2, None));
    let myself = browser.get("/api/v2/whoami").await.response()["identities"][0].clone();
    assert_eq!((&myself["name"], &myself["kind"]), (&json!("carol"), &json!("Person")));
    let token = json!({"bindingUuid": people.binding, "issuer": ISSUER, "subject": "sub-carol"});
    assert_eq!(myself["login"], json!({"way": "Oidc", "token": token}));
    let records = people.app.admin().await.get("/api/v2/audit?action=Login&outcome=Success").await;
    let items = records.response()["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["identities"][0]["login"] == myself["login"]), "{items:?}");
    // What the provider was asked, once.
    let posted = people.fake.posted.lock().unwrap().clone();
    let [(Some(authorization), form)] = posted.as_slice() else { panic!("{posted:?}") };
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let basic = STANDARD.encode("kms:a%20s%C3%A9cret%3A%20of%20ours");
    assert_eq!(authorization, &format!("Basic {basic}"), "{SECRET}");
    let redirect = "https%3A%2F%2Fkms.example.org%2Fhome%2Fv1%2Flogin%2Foidc%2Fcallback";
    let expected = format!("grant_type=authorization_code&code=c1&redirect_uri={redirect}&code_verifier=");
    assert!(ORIGIN.ends_with("kms.example.org") && form.starts_with(&expected), "{form}");
    let verifier = form.strip_prefix(&expected).unwrap();
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, verifier.as_bytes());
    assert_eq!(URL_SAFE_NO_PAD.encode(digest), begun.asked["code_challenge"]);
}

#[tokio::test]
async fn a_public_client_names_itself() {
    let people = People::with(Limits::default(), json!({"clientId": "kms"})).await;
    let _browser = people.logged_in().await;
    let posted = people.fake.posted.lock().unwrap().clone();
    assert!(posted[0].0.is_none() && posted[0].1.ends_with("&client_id=kms"), "{posted:?}");
}

#[tokio::test]
async fn a_login_is_ended_once_and_in_its_browser() {
    let people = People::new().await;
    let browser = people.app.nobody();
    // Without a cookie, with one that is none, with another's.
    let begun = people.begin(&browser).await;
    let ticket = browser.cookie_value(LOGIN_COOKIE).unwrap();
    let other = people.app.nobody();
    refused(&people.come_back(&other, &begun, json!({})).await, 401, ENDED);
    let changed = format!("{}{}", &ticket[..ticket.len() - 1], if ticket.ends_with('A') { 'B' } else { 'A' });
    for wrong in ["", "x", &changed, &"A".repeat(3_000)] {
        other.plant_cookie(LOGIN_COOKIE, Some(wrong));
        refused(&people.come_back(&other, &begun, json!({})).await, 401, ENDED);
    }
    let _others_own = people.begin(&other).await;
    refused(&people.come_back(&other, &begun, json!({})).await, 401, ENDED);
    // Another state, or none.
    for query in [&[("code", "c1")][..], &[("code", "c1"), ("state", "")], &[("code", "c1"), ("state", "x")]] {
        browser.plant_cookie(LOGIN_COOKIE, Some(&ticket));
        refused(&browser.get(&callback(query)).await, 401, ENDED);
        assert_eq!(browser.cookie_value(LOGIN_COOKIE), None, "it is gone whatever comes");
    }
    assert!(people.fake.posted.lock().unwrap().is_empty(), "the provider was asked nothing");
    // Once, although cookie and answer are still there.
    browser.plant_cookie(LOGIN_COOKIE, Some(&ticket));
    assert_eq!(people.come_back(&browser, &begun, json!({})).await.status, 303);
    other.plant_cookie(LOGIN_COOKIE, Some(&ticket));
    refused(&people.come_back(&other, &begun, json!({})).await, 401, ENDED);
    assert_eq!(people.fake.posted.lock().unwrap().len(), 1);
    // Of several at once one is.
    let browser = people.app.nobody();
    let begun = people.begin(&browser).await;
    let ticket = browser.cookie_value(LOGIN_COOKIE).unwrap();
    let browsers: Vec<_> = (0..4)
        .map(|_| {
            let browser = people.app.nobody();
            browser.plant_cookie(LOGIN_COOKIE, Some(&ticket));
            browser
        })
        .collect();
    let replies = futures::future::join_all(browsers.iter().map(|one| people.come_back(one, &begun, json!({})))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 303).count(), 1);
    // Ten minutes, and no more.
    let begun = people.begin(&browser).await;
    people.app.clock.advance_ms(600_000);
    refused(&people.come_back(&browser, &begun, json!({})).await, 401, ENDED);
    let begun = people.begin(&browser).await;
    people.app.clock.advance_ms(599_000);
    assert_eq!(people.come_back(&browser, &begun, json!({})).await.status, 303);
}

#[tokio::test]
async fn another_node_knows_the_login() {
    let people = People::new().await;
    let browser = people.app.nobody();
    let begun = people.begin(&browser).await;
    let other = Client::new(people.app.other_node().await);
    other.plant_cookie(LOGIN_COOKIE, browser.cookie_value(LOGIN_COOKIE).as_deref());
    // It asks no providers, nor was it told its own address; but it has opened the ticket.
    let reply = people.come_back(&other, &begun, json!({})).await;
    refused(&reply, 503, AWAY);
}

#[tokio::test]
async fn an_id_token_for_somebody_else_is_refused() {
    let people = People::new().await;
    let now_s = people.app.clock.now_ms() / 1_000;
    let browser = people.app.nobody();
    for (changes, says) in [
        (json!({"aud": "others"}), NOT_TAKEN),
        (json!({"aud": ["kms", "others"]}), NOT_TAKEN),
        (json!({"azp": "others"}), NOT_TAKEN),
        (json!({"iss": "https://evil.example.org"}), NOT_TAKEN),
        (json!({"nonce": "another"}), NOT_TAKEN),
        (json!({"nonce": null}), NOT_TAKEN),
        (json!({"exp": now_s - 60}), NOT_TAKEN),
        (json!({"exp": now_s + 100_000}), NOT_TAKEN),
        (json!({"iat": now_s + 61}), NOT_TAKEN),
        (json!({"iat": null}), NOT_TAKEN),
        (json!({"sub": null}), NOT_TAKEN),
        (json!({"sub": "sub-Carol"}), UNBOUND),
        (json!({"sub": "nobody", "name": "carol", "email": "carol@example.org"}), UNBOUND),
    ] {
        let begun = people.begin(&browser).await;
        let reply = people.come_back(&browser, &begun, changes.clone()).await;
        refused(&reply, 401, says);
        assert_eq!(browser.get("/home/v1/login").await.json["response"]["identities"], json!([]), "{changes}");
    }
    // Signed by somebody else.
    let other = crate::people::Fake::new();
    let begun = people.begin(&browser).await;
    let body = json!({"id_token": other.token(&people.claims(&begun))}).to_string();
    people.fake.set(|behaviour| behaviour.body = Some(body.into_bytes()));
    refused(&people.come_back(&browser, &begun, json!({})).await, 401, NOT_TAKEN);
    let refusals = people.app.refused_logins().await;
    let of_provider = |(detail, _): &&(Value, Value)| detail["providerUuid"] == json!(people.provider);
    assert_eq!(refusals.iter().filter(of_provider).count(), refusals.len(), "{refusals:?}");
    let hashes: Vec<_> = refusals.iter().filter(|(detail, _)| !detail["subjectHash"].is_null()).collect();
    assert_eq!(hashes.len(), 2, "two subjects that nobody is bound to: {refusals:?}");
    for (detail, identities) in hashes {
        assert_eq!((&detail["why"], &detail["way"]), (&json!("Unbound"), &json!("Oidc")));
        assert_eq!((detail["subjectHash"].as_str().unwrap().len(), identities), (64, &json!([])));
    }
    let reasons = people.reasons().await;
    let expected = ["Audience", "Claims", "Expired", "Issuer", "Lifetime", "Nonce", "NotYet", "Signature", "Unbound"];
    assert_eq!(reasons, expected);
}

#[tokio::test]
async fn an_answer_of_another_issuer_is_refused() {
    let people = People::new().await;
    let come_back = async |iss: Option<&str>| {
        let browser = people.app.nobody();
        let begun = people.begin(&browser).await;
        let claims = people.claims(&begun);
        people.fake.set(|behaviour| behaviour.claims = claims);
        let mut query = vec![("code", "c1"), ("state", &*begun.asked["state"])];
        query.extend(iss.map(|iss| ("iss", iss)));
        browser.get(&callback(&query)).await
    };
    for other in ["https://evil.example.org", "https://login.example.org/", ""] {
        refused(&come_back(Some(other)).await, 401, NOT_TAKEN);
    }
    assert!(people.fake.posted.lock().unwrap().is_empty(), "the code went to nobody");
    assert_eq!(come_back(Some(ISSUER)).await.status, 303);
    assert_eq!(come_back(None).await.status, 303);
    // A provider that says that it says so has to.
    people.fake.set(|behaviour| behaviour.says_issuer = true);
    people.app.clock.advance_ms(600_000);
    refused(&come_back(None).await, 401, NOT_TAKEN);
    assert_eq!(come_back(Some(ISSUER)).await.status, 303);
}

#[tokio::test]
async fn what_a_provider_refuses_is_an_answer() {
    let people = People::new().await;
    let browser = people.app.nobody();
    for error in ["access_denied", "server_error", "<script>alert(1)</script>", ""] {
        let begun = people.begin(&browser).await;
        let state = &*begun.asked["state"];
        let reply = browser
            .get(&callback(&[("error", error), ("error_description", "<b>x</b>"), ("state", state), ("code", "c1")]))
            .await;
        refused(&reply, 401, "did not log you in");
        assert!(!reply.text().contains('<'), "{}", reply.text());
    }
    for code in ["", &"x".repeat(4_097)] {
        let begun = people.begin(&browser).await;
        refused(&browser.get(&callback(&[("code", code), ("state", &begun.asked["state"])])).await, 401, ENDED);
    }
    assert!(people.fake.posted.lock().unwrap().is_empty());
    refused(&browser.get(CALLBACK).await, 401, ENDED);
    assert_eq!(people.reasons().await, ["Code", "Denied", "Ticket"]);
}

#[tokio::test]
async fn a_provider_that_answers_nonsense_or_never_logs_nobody_in() {
    let limits = Limits::default();
    let people = People::with(
        Limits {
            logins: LoginLimits { provider_wait_max: Duration::from_millis(300), ..limits.logins.clone() },
            ..limits
        },
        json!({"clientId": "kms"}),
    )
    .await;
    let browser = people.app.nobody();
    let come_back = async |status: u16, body: Option<&[u8]>| {
        people.fake.set(|behaviour| (behaviour.status, behaviour.body) = (status, body.map(<[u8]>::to_vec)));
        let begun = people.begin(&browser).await;
        people.come_back(&browser, &begun, json!({})).await
    };
    let long = vec![b' '; 2 << 20];
    for body in [&b""[..], b"<html>", b"{}", b"[]", br#"{"id_token": "x"}"#, br#"{"id_token": ["x"]}"#, &long] {
        let reply = come_back(200, Some(body)).await;
        let is_a_token = body == br#"{"id_token": "x"}"#;
        if is_a_token { refused(&reply, 401, NOT_TAKEN) } else { refused(&reply, 503, AWAY) }
    }
    refused(&come_back(400, Some(br#"{"error": "invalid_grant"}"#)).await, 401, ENDED);
    for status in [302, 401, 500] {
        refused(&come_back(status, None).await, 503, AWAY);
    }
    people.fake.set(|behaviour| behaviour.takes = Duration::from_secs(60));
    refused(&come_back(200, None).await, 503, AWAY);
    people.fake.set(|behaviour| behaviour.takes = Duration::ZERO);
    assert_eq!(come_back(200, None).await.status, 303);
}

#[tokio::test]
async fn a_slow_provider_holds_up_nobody_else() {
    let limits = Limits::default();
    let logins = LoginLimits { provider_wait_max: Duration::from_secs(60), ..limits.logins.clone() };
    let people = People::with(Limits { logins, ..limits }, json!({"clientId": "kms", "clientSecret": SECRET})).await;
    let admin = people.app.admin().await;
    people.fake.set(|behaviour| behaviour.takes = Duration::from_secs(60));
    let browsers: Vec<_> = (0..12).map(|_| people.app.nobody()).collect();
    let mut begun = Vec::new();
    for browser in &browsers {
        begun.push(people.begin(browser).await);
    }
    let put_off = Cell::new(0);
    let all = browsers.iter().zip(&begun).map(async |(browser, begun)| {
        let reply = people.come_back(browser, begun, json!({})).await;
        put_off.set(put_off.get() + usize::from(reply.status == 429));
        reply
    });
    let others = async {
        let held = || people.fake.at_once.load(Ordering::SeqCst);
        until("the provider holds four", async || held() == 4 && put_off.get() == 8).await;
        // Passwords and keys go on meanwhile.
        assert_eq!(people.app.nobody().log_in("Admin1", crate::app::PASSWORD).await.status, 200);
        admin.get("/api/v2/whoami").await.response();
        assert_eq!(held(), 4, "the provider holds them still");
        people.fake.set(|behaviour| behaviour.takes = Duration::ZERO);
    };
    let (replies, ()) = futures::future::join(futures::future::join_all(all), others).await;
    let busy = replies.iter().filter(|reply| reply.status == 429).count();
    assert_eq!(
        busy,
        8,
        "four at a time of one source: {:?}",
        replies.iter().map(|reply| reply.status).collect::<Vec<_>>()
    );
    assert!(people.fake.at_once_most.load(Ordering::SeqCst) <= 4);
}

#[tokio::test]
async fn only_a_person_who_may_logs_in() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let browser = people.app.nobody();
    let ci = application(&admin, "ci").await;
    bind(&admin, &people.provider, &ci, "sub-ci").await;
    let begun = people.begin(&browser).await;
    refused(&people.come_back(&browser, &begun, json!({"sub": "sub-ci"})).await, 401, UNBOUND);
    let begun = people.begin(&browser).await;
    admin.post(&format!("/api/v2/identities/{}/lock", people.carol), json!({})).await.response();
    refused(&people.come_back(&browser, &begun, json!({})).await, 401, UNBOUND);
    admin.post(&format!("/api/v2/identities/{}/unlock", people.carol), json!({})).await.response();
    // What is taken back while somebody is at the provider counts.
    for change in [json!({"enabled": false}), json!({"audiences": ["us"], "clientId": null})] {
        let begun = people.begin(&browser).await;
        people.change_provider(change).await;
        refused(&people.come_back(&browser, &begun, json!({})).await, 401, NOT_TAKEN);
        people.change_provider(json!({"enabled": true, "clientId": "kms"})).await;
    }
    let session = people.logged_in().await;
    admin.delete(&format!("{}/{}", crate::workloads::BINDINGS, people.binding)).await.response();
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    let begun = people.begin(&browser).await;
    refused(&people.come_back(&browser, &begun, json!({})).await, 401, UNBOUND);
    let refusals = people.app.refused_logins().await;
    let of = |why: &str| refusals.iter().filter(|(detail, _)| detail["why"] == why).collect::<Vec<_>>();
    assert_eq!(
        (of("Kind")[0].1[0]["name"].as_str(), of("Locked")[0].1[0]["name"].as_str()),
        (Some("ci"), Some("carol"))
    );
    assert!(of("Locked")[0].0.get("subjectHash").is_none(), "{refusals:?}");
    assert_eq!((of("Disabled").len(), of("Unbound").len()), (1, 1), "{refusals:?}");
}

#[tokio::test]
async fn a_browser_is_shown_the_refusal_in_the_console() {
    let people = People::new().await;
    let browser = people.app.nobody();
    let request = axum::http::Request::get(callback(&[("error", "x"), ("state", "y")])).header("Host", "kms.test");
    let request = request.header("Accept", "text/html,application/xhtml+xml");
    let reply = browser.call(request.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(reply.status, 401);
    assert_eq!(reply.headers["content-type"], "text/html; charset=utf-8");
    assert!(reply.headers["cache-control"] == "no-store" && reply.headers.get("etag").is_none());
    assert!(reply.headers["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    let (_, rest) = reply.text().split_once("<meta name=\"refusal\" content=\"").unwrap();
    let told: Value = serde_json::from_str(&rest.split_once('"').unwrap().0.replace("&quot;", "\"")).unwrap();
    assert_eq!((&told["status"], &told["errorCode"]), (&json!(401), &json!("InvalidAuthToken")));
    assert!(told["message"].as_str().unwrap().contains(ENDED), "{told}");
    assert_eq!(told["requestId"].as_str(), reply.headers["x-request-id"].to_str().ok());
}
