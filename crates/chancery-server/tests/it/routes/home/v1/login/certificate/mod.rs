//! POST /home/v1/login with `authType` `certificate`, with certificates of openssl and connections of curl.

mod own;
mod refused;

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::PASSWORD,
    client_certificates::{BY_CERTIFICATE, CLIENT, Files, House, P256, Wanted, bind},
    signing,
};

const RSA: &[&str] = &["-newkey", "rsa:2048"];
const ED25519: &[&str] = &["-newkey", "ed25519"];

fn token_of(text: &str) -> Value {
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_versions_and_protocols_of_all_kinds_log_in() {
    let (house, _) = House::trusting().await;
    let ways: [&[&str]; 4] =
        [&["--http2"], &["--http1.1"], &["--tls-max", "1.2", "--http2"], &["--tls-max", "1.2", "--http1.1"]];
    for (name, key) in [("p256", P256), ("rsa", RSA), ("ed25519", ED25519)] {
        let files = house.root.issue(name, &Wanted { key, ..Wanted::new("/O=Example/CN=ci") });
        for way in ways {
            let login = house.log_in(Some(&files), way).await;
            assert_eq!(login.status, 200, "{name} {way:?}: {}", login.body);
            let state =
                json!({"fullyLoggedIn": true, "hardened": false, "management": false, "perms": ["Signing:Submit"]});
            assert_eq!(login.body["response"], state);
            let cookie = login.cookie.unwrap();
            let token = house.curl(None, "/home/v1/login/token", &["-b", &cookie]).await;
            let client = house.app.nobody().with_bearer(token_of(&token)["token"].as_str().unwrap());
            let told = client.get("/api/v2/whoami").await.response().clone();
            let myself = &told["identities"][0];
            assert_eq!((&myself["name"], &myself["kind"]), (&json!("ci"), &json!("Application")));
            let certificate = &myself["login"]["certificate"];
            assert_eq!(myself["login"]["way"], "Certificate");
            assert_eq!(
                (&certificate["issuer"], &certificate["subject"]),
                (&json!("CN=Example Clients,O=Example"), &json!("CN=ci,O=Example"))
            );
            assert!(certificate["serialNumber"].as_str().unwrap().starts_with("10"), "{certificate}");
        }
    }
    let records = house.app.admin().await.get("/api/v2/audit?action=Login&outcome=Success").await;
    let ways: Vec<_> = records.response()["items"].as_array().unwrap().iter().collect();
    assert!(ways.iter().any(|record| record["identities"][0]["login"]["certificate"]["subject"] == "CN=ci,O=Example"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_below_and_every_kind_of_name() {
    let (house, path) = House::trusting().await;
    let admin = house.app.admin().await;
    let below = house.root.below(
        &house.folder("below"),
        "/O=Example/CN=Example Issuing",
        "nameConstraints=critical,permitted;DNS:example.org",
    );
    admin.patch(&path, json!({"crls": house.root.crl(&[]) + &below.crl(&[])})).await.response();
    let provider = path.rsplit('/').next().unwrap();
    for (place, (san, asks)) in [
        ("DNS:ci.example.org", json!({"dns": "ci.example.org"})),
        ("URI:spiffe://example.org/ci", json!({"uri": "spiffe://example.org/ci"})),
        ("email:ci@mail.example.org", json!({"email": "ci@mail.example.org"})),
        ("otherName:msUPN;UTF8:ci@upn.example.org", json!({"upn": "ci@upn.example.org"})),
    ]
    .into_iter()
    .enumerate()
    {
        let extensions = format!("{CLIENT}\nsubjectAltName={san}");
        let wanted = Wanted { extensions: &extensions, ..Wanted::new("/O=Example/CN=whoever") };
        let files = below.issue(&format!("san{place}"), &wanted);
        House::refused(&house.log_in(Some(&files), &[]).await);
        house.bind(&admin, provider, json!({"claims": asks})).await;
        let login = house.log_in(Some(&files), &[]).await;
        assert_eq!(login.status, 200, "{san}: {}", login.body);
    }
    assert_eq!(house.reasons().await, ["Unbound"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_one_of_two_logins() {
    let (house, path) = House::trusting().await;
    let admin = house.app.admin().await;
    let second = admin.identity_uuid("Admin2").await;
    let provider = path.rsplit('/').next().unwrap();
    bind(&admin, provider, &second, json!({"subject": "CN=Admin2,O=Example"})).await;
    let files = house.root.issue("admin2", &Wanted::new("/O=Example/CN=Admin2"));
    let first = house.log_in(Some(&files), &[]).await;
    assert_eq!((first.status, &first.body["response"]["fullyLoggedIn"]), (200, &json!(false)), "{}", first.body);
    let cookie = first.cookie.unwrap();
    // Twice is once.
    let again = house.log_in(Some(&files), &["-b", &cookie]).await;
    assert_eq!(again.status, 401, "{}", again.body);
    assert!(again.body["message"].as_str().unwrap().contains("counts once"), "{}", again.body);
    let password = chancery_types::Base64::encode(PASSWORD.as_bytes());
    let body =
        json!({"authType": "userpass", "authCredentials": {"username": "Admin1", "password": password}}).to_string();
    let both =
        house.curl(None, "/home/v1/login", &["-b", &cookie, "-H", "Content-Type: application/json", "-d", &body]).await;
    assert_eq!(token_of(&both)["response"]["fullyLoggedIn"], true, "{both}");
    // The other way round, too.
    let first = house.curl(None, "/home/v1/login", &["-H", "Content-Type: application/json", "-d", &body]).await;
    let cookie = first.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap();
    let whole = house.log_in(Some(&files), &["-b", cookie]).await;
    assert_eq!((whole.status, &whole.body["response"]["fullyLoggedIn"]), (200, &json!(true)), "{}", whole.body);
    let token = house.curl(None, "/home/v1/login/token", &["-b", &whole.cookie.unwrap()]).await;
    let client = house.app.nobody().with_bearer(token_of(&token)["token"].as_str().unwrap());
    let told = client.get("/api/v2/whoami").await.response().clone();
    let ways: Vec<_> = told["identities"].as_array().unwrap().iter().map(|one| one["login"]["way"].clone()).collect();
    assert_eq!(ways, ["Password", "Certificate"]);
}

/// Otherwise whoever binds a certificate of theirs to an approver could approve what they have submitted.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_submitted_before_an_approver_was_bound_is_not_approved_by_it() {
    let (house, path) = House::trusting().await;
    let admin = house.app.admin().await;
    admin.create_person("dora", &[RoleId::APPROVER]).await;
    let root = crate::certificates::root(&admin).await;
    let service = signing::deploy(&admin, signing::deployment(&root, "releases", 1)).await;
    let before = signing::submit(&admin, &service, b"before").await;
    house.app.clock.advance_ms(1);
    let (provider, dora) = (path.rsplit('/').next().unwrap(), admin.identity_uuid("dora").await);
    bind(&admin, provider, &dora, json!({"subject": "CN=dora,O=Example"})).await;
    let files = house.root.issue("dora", &Wanted::new("/O=Example/CN=dora"));
    let logged_in = async || {
        let login = house.log_in(Some(&files), &[]).await;
        let token = house.curl(None, "/home/v1/login/token", &["-b", &login.cookie.unwrap()]).await;
        house.app.nobody().with_bearer(token_of(&token)["token"].as_str().unwrap())
    };
    let client = logged_in().await;
    signing::approve(&client, &before).await.refused(403, "NotAuthorized", None);
    let after = signing::submit(&admin, &service, b"after").await;
    assert_eq!(signing::approve(&client, &after).await.response()["state"], "Signed");
    // What the authority vouches by counts from when it was said; newer revocation lists take only away.
    let between = signing::submit(&admin, &service, b"between").await;
    house.app.clock.advance_ms(1);
    admin.patch(&path, json!({"crls": house.root.crl(&[])})).await.response();
    let later = signing::submit(&admin, &service, b"later").await;
    assert_eq!(signing::approve(&logged_in().await, &between).await.response()["state"], "Signed");
    house.app.clock.advance_ms(1);
    admin.patch(&path, json!({"enabled": false})).await.response();
    admin.patch(&path, json!({"enabled": true})).await.response();
    signing::approve(&logged_in().await, &later).await.refused(403, "NotAuthorized", None);
}

/// A browser shows its certificate with whatever a page sends: that is no login, and no other call looks at it.
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_no_ambient_credential() {
    let (house, _) = House::trusting().await;
    let files = house.ci_certificate("ci");
    for path in ["/api/v2/whoami", "/home/v1/login/token", "/api/v2/token-profiles/stubs"] {
        let answer = house.curl(Some(&files), path, &[]).await;
        assert!(answer.starts_with("HTTP/2 401"), "{path}: {answer}");
    }
    let state = token_of(&house.curl(Some(&files), "/home/v1/login", &[]).await);
    assert_eq!(state["response"]["identities"], json!([]));
    let ways = token_of(&house.curl(Some(&files), "/home/v1/login/oidc", &[]).await);
    assert_eq!((&ways["certificates"], &ways["providers"]), (&json!(true), &json!([])));
    assert_eq!(house.app.nobody().get("/home/v1/login/oidc").await.json["certificates"], false);
    // As a form of another page sends it.
    let body = r#"{"authType":"certificate","authCredentials":{}}"#;
    for content in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let header = format!("Content-Type: {content}");
        let login = house.curl(Some(&files), "/home/v1/login", &["-H", &header, "-d", body]).await;
        assert!(login.starts_with("HTTP/2 415"), "{content}: {login}");
    }
    for foreign in
        ["Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"]
    {
        let login = house.log_in(Some(&files), &["-H", foreign]).await;
        assert_eq!((login.status, login.cookie), (403, None), "{foreign}: {}", login.body);
    }
    let own = format!("Origin: https://{}", house.served.address);
    assert_eq!(house.log_in(Some(&files), &["-H", &own]).await.status, 200);
    // A preflight is answered with no leave.
    let preflight =
        ["-X", "OPTIONS", "-H", "Origin: https://evil.example", "-H", "Access-Control-Request-Method: POST"];
    let answer = house.curl(Some(&files), "/home/v1/login", &preflight).await;
    assert!(!answer.to_ascii_lowercase().contains("access-control-allow"), "{answer}");
}

/// What a proxy says in a header is no certificate, and a socket that does not ask has none.
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_the_connections() {
    let (house, _) = House::trusting().await;
    let files = house.ci_certificate("ci");
    let pem = std::fs::read_to_string(&files.certificate).unwrap().replace('\n', "%0A");
    for header in ["X-Client-Cert", "X-SSL-Client-Cert", "Client-Cert", "X-Forwarded-Client-Cert"] {
        let login = house.log_in(None, &["-H", &format!("{header}: {pem}")]).await;
        assert_eq!(login.status, 401);
        assert!(login.body["message"].as_str().unwrap().contains("has shown no client certificate"), "{}", login.body);
    }
    assert_eq!(house.reasons().await, ["NotShown"]);
    let plain =
        crate::listen::served::Served::over_tls(house.app.routes.clone(), chancery_server::Bounds::default()).await;
    let login = curl_at(&plain, &files).await;
    assert!(login.contains("401") && login.contains("has shown no client certificate"), "{login}");
}

async fn curl_at(served: &crate::listen::served::Served, files: &Files) -> String {
    let url = format!("https://{}/home/v1/login", served.address);
    let curl = chancery_testkit::Tool::new("curl").args(["-sS", "-i", "--cacert"]).arg(&served.ca_file);
    let curl = curl.arg("--cert").arg(&files.certificate).arg("--key").arg(&files.key).args(BY_CERTIFICATE).arg(url);
    tokio::task::spawn_blocking(move || curl.run().text()).await.unwrap()
}
