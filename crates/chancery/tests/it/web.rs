//! What the client has no call for, by curl.

use std::path::{Path, PathBuf};

use chancery_testkit::Tool;
use chancery_types::Base64;
use serde_json::{Value, json};

/// The status of a call that anybody may make.
pub(crate) fn status(base: &str, path: &str, authority: &str) -> String {
    let curl = Tool::new("curl").args(["-sS", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", authority]);
    let ran = curl.arg(format!("{base}{path}")).try_run();
    // Why there was no answer, where there was none.
    format!("{}{}", ran.text(), ran.stderr)
}

/// A session with a bearer token.
#[derive(Clone)]
pub(crate) struct Session {
    base: String,
    authority: String,
    jar: PathBuf,
    token: String,
}

impl Session {
    /// Of these identities; the cookies go into the folder.
    pub(crate) fn of(base: &str, authority: &str, folder: &Path, logins: &[(&str, &str)]) -> Self {
        let jar = folder.join(format!("cookies of {}", logins.iter().map(|login| login.0).collect::<String>()));
        let mut session = Self { base: base.to_owned(), authority: authority.to_owned(), jar, token: String::new() };
        for (name, password) in logins {
            let credentials = json!({"username": name, "password": Base64::encode(password.as_bytes())});
            let body = json!({"authType": "userpass", "authCredentials": credentials});
            let (status, answer) = session.call("POST", "/home/v1/login", Some(&body));
            assert_eq!(status, 200, "{name}: {answer}");
        }
        let (status, answer) = session.call("GET", "/home/v1/login/token", None);
        assert_eq!(status, 200, "{answer}");
        session.token = answer["token"].as_str().unwrap().to_owned();
        session
    }

    /// The same session at another node.
    pub(crate) fn at(self, base: &str, authority: &str) -> Self {
        Self { base: base.to_owned(), authority: authority.to_owned(), ..self }
    }

    /// The status, 0 where there was no answer within thirty seconds, and the answer.
    pub(crate) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut curl = Tool::new("curl").args(["-s", "-m", "30", "-w", "\n%{http_code}", "-X", method]);
        curl = curl.arg("--cacert").arg(&self.authority);
        curl = if self.token.is_empty() {
            curl.arg("-b").arg(&self.jar).arg("-c").arg(&self.jar)
        } else {
            curl.args(["-H", &format!("Authorization: Bearer {}", self.token)])
        };
        if let Some(body) = body {
            curl = curl.args(["-H", "Content-Type: application/json", "--data-binary", "@-"]).input(body.to_string());
        }
        let answer = curl.arg(format!("{}{path}", self.base)).try_run().text();
        let (body, status) = answer.rsplit_once('\n').unwrap();
        (status.parse().unwrap(), serde_json::from_str(body).unwrap_or_default())
    }
}
