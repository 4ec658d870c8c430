//! A directory that is not ours: OpenLDAP's slapd, in a process of its own.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Tool, free_port};

/// An account below `ou=people,dc=example,dc=org`.
pub struct Account {
    /// Its `uid`, which its name is made of.
    pub uid: &'static str,
    /// Its `mail`.
    pub mail: &'static str,
    /// Its password.
    pub password: &'static str,
    /// Its `entryUUID`.
    pub id: &'static str,
}

/// The directory, with a service account `cn=chancery,dc=example,dc=org`, at ports that it has for itself.
pub struct Slapd {
    folder: PathBuf,
    /// With StartTLS, and with TLS from the beginning.
    ports: (u16, u16),
    child: Option<Child>,
}

impl Slapd {
    /// The password of the service account.
    pub const SERVICE_PASSWORD: &'static str = "a password of the service";

    /// Starts one that has these accounts and a certificate of its own, for `localhost`. Files go into the folder.
    #[must_use]
    pub fn start(folder: &Path, accounts: &[Account]) -> Self {
        let folder = folder.join("slapd");
        fs::create_dir_all(folder.join("db")).expect("a folder for the directory");
        let _made = Tool::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
            .args(["-subj", "/CN=a directory", "-addext", "subjectAltName=DNS:localhost"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "key.pem", "-out", "certificate.pem"])
            .folder(&folder)
            .run();
        fs::write(folder.join("slapd.conf"), config(&folder)).expect("a file for its settings");
        fs::write(folder.join("entries.ldif"), entries(accounts)).expect("a file for its entries");
        let loaded = slapd(&folder).args(["-T", "add", "-f", "slapd.conf", "-l", "entries.ldif"]).status();
        assert!(loaded.expect("slapd is installed: cargo xtask tools").success(), "slapd takes its entries");
        let mut directory = Self { folder, ports: (free_port(), free_port()), child: None };
        directory.start_again();
        directory
    }

    /// Starts it once more, with what it had.
    pub fn start_again(&mut self) {
        self.stop();
        let log =
            File::options().create(true).append(true).open(self.folder.join("log")).expect("a file for its output");
        let (plain, tls) = self.ports;
        let child = slapd(&self.folder)
            .args(["-d", "stats", "-f", "slapd.conf", "-h"])
            .arg(format!("ldap://127.0.0.1:{plain}/ ldaps://127.0.0.1:{tls}/"))
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.child = Some(child.expect("slapd is installed: cargo xtask tools"));
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", tls)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "slapd does not start: {}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// Ends it.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone_already = child.kill();
            let _reaped = child.wait();
        }
    }

    /// Where it is with TLS from the beginning.
    #[must_use]
    pub fn ldaps(&self) -> String {
        format!("ldaps://localhost:{}", self.ports.1)
    }

    /// Where TLS begins by StartTLS.
    #[must_use]
    pub fn ldap(&self) -> String {
        format!("ldap://localhost:{}", self.ports.0)
    }

    /// Its certificate, PEM.
    #[must_use]
    pub fn authority(&self) -> String {
        fs::read_to_string(self.folder.join("certificate.pem")).expect("openssl has written it")
    }

    /// What it was asked so far.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Slapd {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What was unpacked of Debian's packages.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/slapd/root")
}

fn slapd(folder: &Path) -> Command {
    let libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(|kind| root().join("usr/lib").join(kind));
    let libraries = libraries.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":");
    let mut command = Command::new(root().join("usr/sbin/slapd"));
    command.current_dir(folder).env("LD_LIBRARY_PATH", libraries);
    command
}

/// It lets in whoever gives a name and no password, as RFC 4513 has it where nobody forbids it: whoever believes that is
/// deceived.
fn config(folder: &Path) -> String {
    let (root, folder) = (root(), folder.display());
    let root = fs::canonicalize(&root).unwrap_or(root);
    let root = root.display();
    format!(
        "include {root}/etc/ldap/schema/core.schema\n\
         include {root}/etc/ldap/schema/cosine.schema\n\
         include {root}/etc/ldap/schema/inetorgperson.schema\n\
         modulepath {root}/usr/lib/ldap\n\
         moduleload back_mdb\n\
         allow bind_anon_cred bind_anon_dn\n\
         TLSCACertificateFile {folder}/certificate.pem\n\
         TLSCertificateFile {folder}/certificate.pem\n\
         TLSCertificateKeyFile {folder}/key.pem\n\
         security simple_bind=128\n\
         database mdb\n\
         directory {folder}/db\n\
         suffix dc=example,dc=org\n\
         access to attrs=userPassword by anonymous auth by * none\n\
         access to * by users read by anonymous auth\n"
    )
}

fn entries(accounts: &[Account]) -> String {
    let mut text = format!(
        "dn: dc=example,dc=org\nobjectClass: domain\ndc: example\n\n\
         dn: cn=chancery,dc=example,dc=org\nobjectClass: person\ncn: chancery\nsn: chancery\nuserPassword: {}\n\n\
         dn: ou=people,dc=example,dc=org\nobjectClass: organizationalUnit\nou: people\n\n",
        Slapd::SERVICE_PASSWORD
    );
    for Account { uid, mail, password, id } in accounts {
        let name = uid.replace('\\', "\\5c");
        text += &format!(
            "dn: uid={name},ou=people,dc=example,dc=org\nobjectClass: inetOrgPerson\nuid: {uid}\ncn: {uid}\nsn: {uid}\n\
             mail: {mail}\nuserPassword: {password}\nentryUUID: {id}\n\n"
        );
    }
    text
}
