//! An OpenID Connect provider that is not ours, in a process of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Tool, free_port};

/// The secret of its clients.
pub const CLIENT_SECRET: &str = "a secret of the provider";

/// The provider, at a port that it has for itself.
pub struct IdentityProvider {
    folder: PathBuf,
    port: u16,
    /// Where it sends people back to, whom it logs in by a form.
    redirect_uri: Option<String>,
    child: Option<Child>,
}

impl IdentityProvider {
    /// Starts one, with keys that are called like this and a certificate of its own. Files go into the folder.
    #[must_use]
    pub fn start(folder: &Path, keys: &str) -> Self {
        Self::begin(folder, keys, None)
    }

    /// The same, where people log in, too, for the clients `kms` (with [`CLIENT_SECRET`]) and `kms-public`: whatever they type
    /// as their name is their subject.
    #[must_use]
    pub fn start_for_people(folder: &Path, redirect_uri: &str) -> Self {
        Self::begin(folder, "one", Some(redirect_uri.to_owned()))
    }

    fn begin(folder: &Path, keys: &str, redirect_uri: Option<String>) -> Self {
        let mut provider = Self { folder: folder.to_owned(), port: free_port(), redirect_uri, child: None };
        provider.start_again(keys);
        provider
    }

    /// Starts it once more, with new keys that are called like this.
    pub fn start_again(&mut self, keys: &str) {
        // Node 20 stands still now and then while it makes keys.
        let starts = (0..5).any(|_| self.starts(keys));
        assert!(starts, "the provider does not start");
    }

    fn starts(&mut self, keys: &str) -> bool {
        self.stop();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let log = File::create(self.folder.join("provider.log")).expect("a file for its output");
        let child = Command::new("node")
            .arg(here.join("src/identity_provider.mjs"))
            .arg(here.join("../../target/tools/node"))
            .arg(self.port.to_string())
            .arg(&self.folder)
            .arg(keys)
            .args(&self.redirect_uri)
            .stdout(log)
            .spawn();
        self.child = Some(child.unwrap_or_else(|error| panic!("node: {error}")));
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(15) {
            if self.requests().iter().any(|line| line.starts_with("listening at ")) {
                return true;
            }
            sleep(Duration::from_millis(50));
        }
        false
    }

    /// Ends it.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone_already = child.kill();
            let _reaped = child.wait();
        }
    }

    /// The `iss` of its tokens.
    #[must_use]
    pub fn issuer(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// The file with its certificate, PEM.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.folder.join("provider.pem")
    }

    /// Where it listens, and what it was asked since it started last, as method and path.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        let log = fs::read_to_string(self.folder.join("provider.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// What a browser does with the address of a login, whose person types this name: the address that it is sent back to, or
    /// with no name the one after giving up.
    #[must_use]
    pub fn log_in(&self, address: &str, name: Option<&str>) -> String {
        let jar = self.folder.join("provider.cookies");
        let _new_browser = fs::remove_file(&jar);
        let issuer = self.issuer();
        let (mut address, mut form) = (address.to_owned(), None::<String>);
        for _ in 0..12 {
            let mut curl = Tool::new("curl").args(["-s", "-i", "--cacert"]).arg(self.authority());
            curl = curl.arg("-b").arg(&jar).arg("-c").arg(&jar);
            if let Some(form) = form.take() {
                curl = curl.args(["-d", &form]);
            }
            let page = curl.arg(&address).run().text();
            let location = page.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
            });
            match location {
                Some(next) if next.starts_with('/') => address = format!("{issuer}{next}"),
                Some(next) if next.starts_with(&issuer) => address = next,
                Some(next) => return next,
                None => match name {
                    Some(name) if page.contains("name=\"login\"") => {
                        form = Some(format!("prompt=login&login={name}&password=x"));
                    }
                    Some(_) if page.contains("value=\"consent\"") => form = Some("prompt=consent".to_owned()),
                    Some(_) => panic!("{page}"),
                    None => address += "/abort",
                },
            }
        }
        panic!("it goes round and round: {address}");
    }

    /// A token that says this workload is its subject, for an audience; header fields of the request say more, such as
    /// `x-claims: {"ref": "main"}`, `x-ttl: 60` or `x-alg: ES256`.
    #[must_use]
    pub fn token(&self, workload: &str, audience: &str, fields: &[&str]) -> String {
        let mut curl = Tool::new("curl").args(["-s", "--cacert"]).arg(self.authority());
        curl = curl.args(["-u", &format!("{workload}:a%20secret%20of%20the%20provider")]);
        curl = curl.args(["-d", "grant_type=client_credentials", "-d", &format!("resource={audience}")]);
        let curl = fields.iter().fold(curl, |curl, field| curl.args(["-H", field]));
        let answer = curl.arg(format!("{}/token", self.issuer())).run().text();
        let token = answer.split("\"access_token\":\"").nth(1).and_then(|rest| rest.split('"').next());
        token.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        self.stop();
    }
}
