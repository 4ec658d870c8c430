//! People at the program under test, who log in by a provider that is not ours.

use std::path::Path;

use chancery_testkit::{CLIENT_SECRET, IdentityProvider, TempDir, Tool, free_port, temp_dir};
use chancery_types::{RoleId, wire::identity_providers::CreateIdentityBinding};
use serde_json::{Value, json};

use crate::process::Demo;

/// A demonstration whose `carol`, an approver, is `carol.7` of the provider.
struct People {
    demo: Demo,
    provider: IdentityProvider,
    provider_uuid: String,
    folder: TempDir,
}

impl People {
    fn start(arguments: &[&str], client: &Value) -> Self {
        let folder = temp_dir();
        let listen = format!("127.0.0.1:{}", free_port());
        let origin = format!("https://{listen}");
        let provider =
            IdentityProvider::start_for_people(folder.path(), &format!("{origin}/home/v1/login/oidc/callback"));
        let authority = provider.authority().display().to_string();
        let base = ["--provider-ca", &authority, "--limit", "provider-wait-max=20", "--public-origin", &origin];
        let demo = Demo::start_again(folder.path(), &listen, &[&base[..], arguments].concat());
        let mut people = Self { demo, provider, provider_uuid: String::new(), folder };
        people.trust(client);
        people
    }

    /// Trusts the provider, and binds carol.
    fn trust(&mut self, client: &Value) {
        let mut described = json!({"name": "staff", "issuer": self.provider.issuer(), "audiences": []});
        described.as_object_mut().unwrap().extend(client.as_object().unwrap().clone());
        let client = self.demo.client();
        let made = client.create_identity_provider(&serde_json::from_value(described).unwrap()).unwrap();
        self.provider_uuid = made.obj_info.uuid.to_string();
        assert_eq!(client.oidc_providers().unwrap(), [made.obj_info]);
        let password = chancery_types::Base64::encode(b"a password that nobody types");
        let carol = json!({"name": "carol", "kind": "Person", "roleUuids": [RoleId::APPROVER], "password": password});
        let carol = client.create_identity(&serde_json::from_value(carol).unwrap()).unwrap().uuid;
        let asks =
            json!({"name": "carol", "identityUuid": carol, "providerUuid": self.provider_uuid, "subject": "carol.7"});
        let asks: CreateIdentityBinding = serde_json::from_value(asks).unwrap();
        client.create_identity_binding(&asks).unwrap();
    }

    /// A call of a browser, whose cookies are in a jar: its head and its body.
    fn browse(&self, jar: &Path, address: &str, more: &[&str]) -> String {
        let curl = Tool::new("curl").args(["-s", "-i", "--cacert", self.demo.text("/caFile")]);
        curl.arg("-b").arg(jar).arg("-c").arg(jar).args(more).arg(address).run().text()
    }

    /// The address of the provider to which a browser is sent.
    fn begin(&self, jar: &Path) -> String {
        let body = json!({"providerUuid": self.provider_uuid}).to_string();
        let address = format!("{}/home/v1/login/oidc", self.demo.text("/base"));
        let answer = self.browse(jar, &address, &["-H", "Content-Type: application/json", "-d", &body]);
        let json = answer.rsplit_once("\r\n\r\n").unwrap().1;
        let json: Value = serde_json::from_str(json).unwrap_or_else(|_| panic!("{answer}"));
        json["authorizationUrl"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

#[test]
fn a_person_logs_in_by_a_provider() {
    for (client, method) in [
        (json!({"clientId": "kms", "clientSecret": CLIENT_SECRET}), "with a secret"),
        (json!({"clientId": "kms-public"}), "as a public client"),
    ] {
        let people = People::start(&["--provider-networks", "127.0.0.1"], &client);
        let jar = people.folder.path().join("jar");
        let back = people.provider.log_in(&people.begin(&jar), Some("carol.7"));
        assert!(back.starts_with(people.demo.text("/base")) && back.contains("&iss="), "{back}");
        let answer = people.browse(&jar, &back, &[]);
        assert!(answer.contains(" 303") && answer.contains("location: /\r\n"), "{method}: {answer}");
        let whoami = people.browse(&jar, &format!("{}/api/v2/whoami", people.demo.text("/base")), &[]);
        assert!(whoami.contains(r#""name":"carol""#) && whoami.contains(r#""way":"Oidc""#), "{whoami}");
        // Neither the code nor the cookie is good again.
        let answer = people.browse(&jar, &back, &[]);
        assert!(answer.contains(" 401") && answer.contains("This login has ended"), "{answer}");
        // Somebody whom nobody has bound.
        let other = people.folder.path().join("other");
        let back = people.provider.log_in(&people.begin(&other), Some("dave"));
        let answer = people.browse(&other, &back, &["-H", "Accept: text/html"]);
        assert!(answer.contains(" 401") && answer.contains("name=\"refusal\""), "{answer}");
        // Somebody who gives up.
        let back = people.provider.log_in(&people.begin(&other), None);
        let answer = people.browse(&other, &back, &[]);
        assert!(back.contains("error=access_denied") && answer.contains("did not log you in"), "{back}: {answer}");
        let log = people.demo.server.log();
        for secret in [CLIENT_SECRET, "code=", "id_token"] {
            assert!(!log.contains(secret), "{log}");
        }
    }
}

#[test]
fn people_log_in_by_no_private_address() {
    let people = People::start(&[], &json!({"clientId": "kms-public"}));
    let jar = people.folder.path().join("jar");
    let body = json!({"providerUuid": people.provider_uuid}).to_string();
    let address = format!("{}/home/v1/login/oidc", people.demo.text("/base"));
    let answer = people.browse(&jar, &address, &["-H", "Content-Type: application/json", "-d", &body]);
    assert!(answer.contains(" 503") && answer.contains("cannot be reached"), "{answer}");
    assert!(people.provider.requests().iter().all(|request| !request.starts_with("GET ")));
}
