//! People at the program under test, who log in by a directory that is not ours: OpenLDAP.

use std::{fs, io::Read as _};

use chancery_client::{Client, ClientError};
use chancery_testkit::{Account, Ran, Slapd, TempDir, Tool, temp_dir};
use chancery_types::{
    Base64, IdentityProviderId, RoleId,
    wire::identity_providers::{CreateIdentityBinding, CreateIdentityProvider, PatchIdentityProvider},
};
use serde_json::{Value, json};

use crate::process::{Demo, PROGRAM};

const CAROL: Account = Account {
    uid: "carol",
    mail: "staff@example.org",
    password: "carol's own password",
    id: "0b5c2d3e-1111-4111-8111-00000000ca01",
};

/// Whom nobody has bound, with the same mail as carol, and the password of a thing that needs escaping.
const ODD: Account = Account {
    uid: "odd(*)\\",
    mail: "staff@example.org",
    password: "another password",
    id: "0b5c2d3e-1111-4111-8111-000000000dd0",
};

/// A demonstration whose `carol`, an approver, has an account of the directory.
struct Staff {
    demo: Demo,
    directory: Slapd,
    provider: IdentityProviderId,
    folder: TempDir,
}

fn searched(directory: &Slapd) -> Value {
    json!({"url": directory.ldaps(), "authorities": directory.authority(),
        "bindDn": "cn=chancery,dc=example,dc=org", "bindPassword": Slapd::SERVICE_PASSWORD,
        "baseDn": "ou=people,dc=example,dc=org", "filter": "(&(objectClass=inetOrgPerson)(uid={username}))"})
}

impl Staff {
    fn start(arguments: &[&str]) -> Self {
        let folder = temp_dir();
        let directory = Slapd::start(folder.path(), &[CAROL, ODD]);
        let demo = Demo::start_made(folder.path(), &[&["--limit", "provider-wait-max=20"], arguments].concat());
        let client = demo.client();
        let described = json!({"name": "staff", "ldap": searched(&directory)});
        let described: CreateIdentityProvider = serde_json::from_value(described).unwrap();
        let made = client.create_identity_provider(&described).unwrap();
        assert_eq!(made.issuer, directory.ldaps());
        let password = Base64::encode(b"a password that nobody types");
        let carol =
            json!({"name": "carol jones", "kind": "Person", "roleUuids": [RoleId::APPROVER], "password": password});
        let carol = client.create_identity(&serde_json::from_value(carol).unwrap()).unwrap().uuid;
        let provider = made.obj_info.uuid;
        let asks = json!({"name": "carol", "identityUuid": carol, "providerUuid": provider, "subject": CAROL.id});
        let asks: CreateIdentityBinding = serde_json::from_value(asks).unwrap();
        client.create_identity_binding(&asks).unwrap();
        Self { demo, directory, provider, folder }
    }

    fn nobody(&self) -> Client {
        let authority = fs::read(self.demo.text("/caFile")).unwrap();
        Client::new(self.demo.text("/base"), &authority).unwrap().tried_once()
    }

    /// Who is logged in after a login, or the status and the words of the refusal.
    fn log_in(&self, name: &str, password: &str) -> Result<String, (u16, String)> {
        let client = self.nobody();
        match client.log_in_by_ldap(self.provider, name, password, None) {
            Ok(_) => Ok(client.session_state().unwrap().identities.remove(0).name),
            Err(ClientError::NotLoggedIn { status, message, .. }) => Err((status, message)),
            Err(other) => panic!("{other}"),
        }
    }

    fn change(&self, ldap: &Value) {
        let change: PatchIdentityProvider = serde_json::from_value(json!({"ldap": ldap})).unwrap();
        self.demo.client().change_identity_provider(self.provider, &change).unwrap();
    }

    fn run(&self, arguments: &[&str], files: &[&str]) -> Ran {
        let mut program = Tool::new(PROGRAM).env("XDG_CONFIG_HOME", self.folder.path().join("config")).args(arguments);
        for (number, password) in files.iter().enumerate() {
            let file = self.folder.path().join(format!("password-{number}"));
            fs::write(&file, password).unwrap();
            program = program.arg("--password-file").arg(file);
        }
        program.args(["--server", self.demo.text("/base"), "--ca", self.demo.text("/caFile")]).try_run()
    }
}

#[test]
fn a_person_logs_in_by_an_account_of_openldap() {
    let staff = Staff::start(&["--provider-networks", "127.0.0.0/8,::1", "--log-level", "info"]);
    let carol = || Ok("carol jones".to_owned());
    let with_start_tls = json!({"url": staff.directory.ldap(), "bindPassword": Slapd::SERVICE_PASSWORD});
    let named = json!({"userDn": "uid={username},ou=people,dc=example,dc=org"});
    for way in [json!({}), with_start_tls, named, json!({"url": staff.directory.ldaps()})] {
        staff.change(&way);
        assert_eq!(staff.log_in("carol", CAROL.password), carol(), "{way}");
        assert_eq!(staff.log_in("CAROL", CAROL.password), carol(), "{way}");
        // Odd has the right password, and is nobody here.
        for (name, password) in [
            ("carol", "wrong"),
            ("carol", ODD.password),
            ("nobody", CAROL.password),
            (ODD.uid, ODD.password),
            ("c*", CAROL.password),
        ] {
            let (status, message) = staff.log_in(name, password).unwrap_err();
            assert_eq!(
                (status, message.contains("wrong password, code or key")),
                (401, true),
                "{way} {name}: {message}"
            );
        }
    }
    staff.change(&searched(&staff.directory));
    let bound = staff.directory.log().matches("RESULT tag=97 err=0").count();
    // The directory lets in whoever has no password.
    for (name, password) in
        [("carol", ""), ("carol", "\0"), ("carol", "carol\0"), ("", CAROL.password), (" carol", CAROL.password)]
    {
        let (status, message) = staff.log_in(name, password).unwrap_err();
        assert_eq!(status, 400, "{name:?}: {message}");
    }
    assert_eq!(staff.directory.log().matches("RESULT tag=97 err=0").count(), bound, "the directory was not asked");
    // Two entries have the mail.
    staff.change(&json!({"filter": "(mail={username})"}));
    assert_eq!(staff.log_in(CAROL.mail, CAROL.password).unwrap_err().0, 401);
    staff.change(&json!({"filter": "(&(mail={username})(uid=carol))"}));
    assert_eq!(staff.log_in(CAROL.mail, CAROL.password), carol());
    let log = staff.demo.server.log();
    for secret in [CAROL.password, ODD.password, Slapd::SERVICE_PASSWORD] {
        assert!(!log.contains(secret), "{log}");
    }
    assert!(log.contains("SeveralEntries") && log.contains("Unbound") && log.contains("NoEntry"), "{log}");
}

#[test]
fn a_directory_that_is_away_or_another_one_is_not_believed() {
    let mut staff = Staff::start(&["--provider-networks", "127.0.0.0/8,::1", "--log-level", "info"]);
    let away = |staff: &Staff| {
        let (status, message) = staff.log_in("carol", CAROL.password).unwrap_err();
        assert_eq!((status, message.contains("cannot be reached")), (503, true), "{message}");
    };
    let base = searched(&staff.directory);
    let with = |member: &str, value: Value| {
        let mut ldap = base.clone();
        ldap[member] = value;
        ldap
    };
    // A certificate that is for another name, and one of nobody who is trusted; each change ends the pause of the one before.
    let port = staff.directory.ldaps().rsplit_once(':').unwrap().1.to_owned();
    staff.change(&with("url", format!("ldaps://127.0.0.1:{port}").into()));
    away(&staff);
    let log = staff.demo.server.log();
    assert!(log.contains("not valid for name"), "{log}");
    staff.change(&with("authorities", Value::Null));
    away(&staff);
    // Without TLS where TLS begins at once.
    staff.change(&with("url", format!("ldap://localhost:{port}").into()));
    away(&staff);
    // The service account's password is another one, and the directory is asked once.
    staff.change(&with("bindPassword", "wrong".into()));
    away(&staff);
    let asked = staff.directory.log().matches("err=49").count();
    away(&staff);
    assert_eq!(
        staff.directory.log().matches("err=49").count(),
        asked,
        "the service account is not tried again and again"
    );
    staff.change(&base);
    assert_eq!(staff.log_in("carol", CAROL.password), Ok("carol jones".to_owned()));
    staff.directory.stop();
    away(&staff);
    staff.directory.start_again();
    // Another description of the same directory: what is not asked for ten seconds is the one before.
    staff.change(&with("baseDn", "dc=example,dc=org".into()));
    assert_eq!(staff.log_in("carol", CAROL.password), Ok("carol jones".to_owned()));
}

#[test]
fn a_directory_at_a_private_address_is_asked_where_the_start_says_so() {
    let staff = Staff::start(&["--log-level", "info"]);
    let (status, message) = staff.log_in("carol", CAROL.password).unwrap_err();
    assert_eq!((status, message.contains("cannot be reached")), (503, true), "{message}");
    assert!(!staff.directory.log().contains("TLS established"), "{}", staff.directory.log());
    let log = staff.demo.server.log();
    assert!(log.contains("--provider-networks would have to list it"), "{log}");
}

#[test]
fn the_command_line_logs_in_by_a_directory() {
    let staff = Staff::start(&["--provider-networks", "127.0.0.0/8,::1"]);
    let said = staff.run(&["login", "--ldap", "Staff", "carol"], &[CAROL.password]);
    assert!(said.status.success() && said.text().contains("as carol"), "{}{}", said.text(), said.stderr);
    let said = staff.run(&["whoami"], &[]);
    assert!(said.status.success() && said.text().contains("carol jones"), "{}{}", said.text(), said.stderr);
    let said = staff.run(&["login", "--ldap", "staff", "carol"], &["wrong"]);
    assert_eq!(said.status.code(), Some(3), "{}{}", said.text(), said.stderr);
    let said = staff.run(&["login", "--ldap", "others", "carol"], &[CAROL.password]);
    assert_eq!(said.status.code(), Some(2), "{}{}", said.text(), said.stderr);
    assert!(said.stderr.contains("These are there: staff."), "{}", said.stderr);
    // The way is in the record of the login, with the account.
    let mut records = String::new();
    staff.demo.client().export_audit_of("").unwrap().read_to_string(&mut records).unwrap();
    assert!(records.contains(r#""way":"Ldap""#) && records.contains(CAROL.id), "{records}");
}
