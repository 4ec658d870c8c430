//! Authorities and client certificates of openssl, and logins by them with curl.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use chancery_core::{Clock, Limits};
use chancery_server::Bounds;
use chancery_testkit::{TempDir, Tool, temp_dir};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::{
    app::{Setup, TestApp},
    client::Client,
    listen::served::Served,
    workloads::{BINDINGS, PROVIDERS, application, machines_ms},
};

/// What says that a client certificate is one.
pub(crate) const CLIENT: &str = "keyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth";

const AUTHORITY: &str = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign";

/// A certificate and its key, in files; the certificate with what stands above it.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// An authority of `openssl ca`.
pub(crate) struct Authority {
    folder: PathBuf,
    /// What stands between it and its root, itself first; nothing of a root.
    chain: String,
}

/// What a certificate is to be.
pub(crate) struct Wanted<'a> {
    pub(crate) subject: &'a str,
    pub(crate) extensions: &'a str,
    pub(crate) key: &'a [&'a str],
    /// `openssl ca`'s further options.
    pub(crate) options: &'a [&'a str],
}

pub(crate) const P256: &[&str] = &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

impl<'a> Wanted<'a> {
    pub(crate) const fn new(subject: &'a str) -> Self {
        Self { subject, extensions: CLIENT, key: P256, options: &[] }
    }
}

impl Authority {
    /// A root that signs itself.
    pub(crate) fn root(folder: &Path, subject: &str) -> Self {
        let authority = Self::prepared(folder, String::new());
        let extensions = AUTHORITY.lines().flat_map(|line| ["-addext", line]);
        let _made = Tool::new("openssl")
            .args(["req", "-x509", "-nodes", "-config", "/dev/null", "-days", "3000", "-subj", subject])
            .args(P256)
            .args(["-keyout", "ca.key", "-out", "ca.pem"])
            .args(extensions)
            .folder(folder)
            .run();
        authority
    }

    fn prepared(folder: &Path, chain: String) -> Self {
        fs::create_dir_all(folder).unwrap();
        let at = folder.display();
        let config = format!(
            "[ca]\ndefault_ca=d\n[d]\ndatabase={at}/index\nserial={at}/serial\nnew_certs_dir={at}\n\
             certificate={at}/ca.pem\nprivate_key={at}/ca.key\ndefault_md=sha256\ndefault_days=30\n\
             default_crl_days=30\npolicy=p\nunique_subject=no\ncrlnumber={at}/crlnumber\n\
             [p]\ncommonName=optional\norganizationName=optional\n"
        );
        fs::write(folder.join("config"), config).unwrap();
        fs::write(folder.join("index"), "").unwrap();
        fs::write(folder.join("serial"), "1000\n").unwrap();
        fs::write(folder.join("crlnumber"), "01\n").unwrap();
        Self { folder: folder.to_owned(), chain }
    }

    fn openssl(&self) -> Tool {
        Tool::new("openssl").folder(&self.folder)
    }

    /// An authority below this one.
    pub(crate) fn below(&self, folder: &Path, subject: &str, further: &str) -> Self {
        let extensions = format!("{AUTHORITY}\n{further}");
        let wanted = Wanted { extensions: &extensions, ..Wanted::new(subject) };
        let files = self.issue("below", &wanted);
        let chain = fs::read_to_string(&files.certificate).unwrap();
        let authority = Self::prepared(folder, chain.clone());
        fs::write(folder.join("ca.pem"), chain).unwrap();
        fs::copy(&files.key, folder.join("ca.key")).unwrap();
        authority
    }

    /// A certificate and its key.
    pub(crate) fn issue(&self, name: &str, wanted: &Wanted<'_>) -> Files {
        let file = |end: &str| self.folder.join(format!("{name}.{end}"));
        let _requested = self
            .openssl()
            .args(["req", "-new", "-nodes", "-config", "/dev/null", "-subj", wanted.subject])
            .args(wanted.key)
            .arg("-keyout")
            .arg(file("key"))
            .arg("-out")
            .arg(file("csr"))
            .run();
        fs::write(file("ext"), format!("[e]\n{}\n", wanted.extensions)).unwrap();
        let _issued = self
            .openssl()
            .args(["ca", "-batch", "-notext", "-preserveDN", "-config", "config", "-extensions", "e", "-extfile"])
            .arg(file("ext"))
            .args(wanted.options)
            .arg("-in")
            .arg(file("csr"))
            .arg("-out")
            .arg(file("alone.pem"))
            .run();
        let alone = fs::read_to_string(file("alone.pem")).unwrap();
        fs::write(file("pem"), format!("{alone}{}", self.chain)).unwrap();
        Files { certificate: file("pem"), key: file("key") }
    }

    pub(crate) fn revoke(&self, name: &str) {
        let certificate = self.folder.join(format!("{name}.alone.pem"));
        let _revoked = self.openssl().args(["ca", "-config", "config", "-revoke"]).arg(certificate).run();
    }

    /// Its revocation list, PEM, as it is now.
    pub(crate) fn crl(&self, options: &[&str]) -> String {
        self.openssl().args(["ca", "-config", "config", "-gencrl"]).args(options).run().text()
    }

    pub(crate) fn pem(&self) -> String {
        fs::read_to_string(self.folder.join("ca.pem")).unwrap()
    }
}

/// An installation with a socket that asks for client certificates, and an application `ci`.
pub(crate) struct House {
    pub(crate) app: TestApp,
    pub(crate) served: Arc<Served>,
    pub(crate) root: Authority,
    pub(crate) ci: String,
    folder: TempDir,
}

/// What a login came to.
pub(crate) struct Login {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) cookie: Option<String>,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(Limits::default()).await
    }

    pub(crate) async fn with(limits: Limits) -> Self {
        let folder = temp_dir();
        // The certificates are of today.
        fs::write(folder.path().join("openssl.cnf"), ANYTHING_GOES).unwrap();
        let app = TestApp::with(Setup { clock: soon(), limits, ..Setup::default() }).await;
        let served = Arc::new(Served::asking(app.routes.clone(), Bounds::default()).await);
        let root = Authority::root(&folder.path().join("root"), "/O=Example/CN=Example Clients");
        let ci = application(&app.admin().await, "ci").await;
        Self { app, served, root, ci, folder }
    }

    /// The same, where the root is trusted and `CN=ci,O=Example` stands for `ci`; and the provider's path.
    pub(crate) async fn trusting() -> (Self, String) {
        let house = Self::new().await;
        let admin = house.app.admin().await;
        let lists = house.root.crl(&[]);
        let described = json!({"name": "clients", "authorityCertificates": house.root.pem(), "crls": lists});
        let made = admin.post(PROVIDERS, described).await.response().clone();
        let provider = made["objInfo"]["uuid"].as_str().unwrap();
        house.bind(&admin, provider, json!({"subject": "CN=ci,O=Example"})).await;
        let path = format!("{PROVIDERS}/{provider}");
        (house, path)
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Binds `ci`.
    pub(crate) async fn bind(&self, admin: &Client, provider: &str, asks: Value) -> Value {
        bind(admin, provider, &self.ci, asks).await
    }

    /// A certificate of the root for `CN=ci,O=Example`.
    pub(crate) fn ci_certificate(&self, name: &str) -> Files {
        self.root.issue(name, &Wanted::new("/O=Example/CN=ci"))
    }

    /// Logs in by curl, with these options.
    pub(crate) async fn log_in(&self, files: Option<&Files>, options: &[&str]) -> Login {
        let text = self.curl(files, "/home/v1/login", &[BY_CERTIFICATE, options].concat()).await;
        let (head, rest) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{text}"));
        let cookie = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_set = name.eq_ignore_ascii_case("set-cookie");
            is_set.then(|| value.split(';').next().unwrap_or_default().to_owned())
        });
        let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
        Login { status, body: serde_json::from_str(rest).unwrap_or_default(), cookie }
    }

    /// Calls by curl, which answers the head and the body.
    pub(crate) async fn curl(&self, files: Option<&Files>, path: &str, options: &[&str]) -> String {
        let ran = self.try_curl(files, path, options).await;
        assert!(ran.0, "{}", ran.1);
        ran.1
    }

    /// The same; whether curl was content, and what it wrote.
    pub(crate) async fn try_curl(&self, files: Option<&Files>, path: &str, options: &[&str]) -> (bool, String) {
        let url = format!("https://{}{path}", self.served.address);
        let curl = Tool::new("curl").env("OPENSSL_CONF", self.folder("openssl.cnf"));
        let mut curl = curl.args(["-sS", "-i", "--cacert"]).arg(&self.served.ca_file);
        if let Some(Files { certificate, key }) = files {
            curl = curl.arg("--cert").arg(certificate).arg("--key").arg(key);
        }
        let curl = curl.args(options).arg(url);
        let ran = spawn_blocking(move || curl.try_run()).await.unwrap();
        (ran.status.success(), ran.text() + &ran.stderr)
    }

    /// Asserts that a login was refused in the one wording.
    #[track_caller]
    pub(crate) fn refused(login: &Login) {
        let message = "The client certificate is refused: of no authority that is trusted here, not good now, revoked or \
                       not known to be unrevoked, or of nobody here.";
        assert_eq!((login.status, &login.body["message"]), (401, &json!(message)), "{}", login.body);
        assert_eq!(login.cookie, None);
    }

    /// Why logins were refused, each reason once and in the order of the alphabet.
    pub(crate) async fn reasons(&self) -> Vec<String> {
        let why =
            self.app.refused_logins().await.into_iter().map(|(detail, _)| detail["why"].as_str().unwrap().to_owned());
        let mut why: Vec<_> = why.collect();
        why.sort();
        why.dedup();
        why
    }
}

/// Has curl show what it would itself refuse.
const ANYTHING_GOES: &str = "openssl_conf=c\n[c]\nssl_conf=s\n[s]\nsystem_default=d\n[d]\n\
    CipherString=DEFAULT:@SECLEVEL=0\n";

/// What a login by a certificate sends.
pub(crate) const BY_CERTIFICATE: &[&str] =
    &["-H", "Content-Type: application/json", "-d", r#"{"authType":"certificate","authCredentials":{}}"#];

pub(crate) async fn bind(admin: &Client, provider: &str, identity: &str, mut asks: Value) -> Value {
    asks["name"] = json!(format!("{identity} {asks}"));
    asks["identityUuid"] = json!(identity);
    asks["providerUuid"] = json!(provider);
    admin.post(BINDINGS, asks).await.response().clone()
}

/// Ten minutes after now: what openssl makes meanwhile has begun.
fn soon() -> Clock {
    Clock::fixed(machines_ms() + 600_000)
}
