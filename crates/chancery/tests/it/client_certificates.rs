//! Client certificates at the program under test: its socket that asks for them, and its command line.

use std::{fs, path::Path};

use chancery_testkit::{Ran, Tool, free_port, temp_dir};
use serde_json::json;

use crate::process::{Demo, PROGRAM};

/// An authority of openssl with a list that revokes nothing, and a certificate of it with its key.
fn certificates(folder: &Path) {
    let openssl = |arguments: &str| {
        let _ran = Tool::new("openssl").args(arguments.split_whitespace()).folder(folder).run();
    };
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null";
    openssl(&format!(
        "req -x509 {new} -keyout ca.key -out ca.pem -days 9 -subj /CN=Clients -addext basicConstraints=critical,CA:TRUE"
    ));
    fs::write(
        folder.join("ca.conf"),
        "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=9\n",
    )
    .unwrap();
    fs::write(folder.join("index"), "").unwrap();
    openssl("ca -config ca.conf -gencrl -cert ca.pem -keyfile ca.key -out ca.crl");
    fs::write(folder.join("ext"), "keyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n").unwrap();
    for name in ["ci", "carol"] {
        openssl(&format!("req -new {new} -keyout {name}.key -out {name}.csr -subj /O=Example/CN={name}"));
        openssl(&format!("x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -days 9 -extfile ext -out {name}.pem"));
    }
}

struct Place<'a> {
    folder: &'a Path,
    demo: &'a Demo,
}

impl Place<'_> {
    fn run(&self, config: &str, arguments: &[&str]) -> Ran {
        let program = Tool::new(PROGRAM).env("XDG_CONFIG_HOME", self.folder.join(config)).folder(self.folder);
        program.args(arguments).try_run()
    }

    fn done(&self, config: &str, arguments: &[&str]) -> String {
        let ran = self.run(config, arguments);
        assert!(ran.status.success(), "{arguments:?}: {}{}", ran.text(), ran.stderr);
        ran.text()
    }

    /// Trusts the authority, as both administrators at the command line.
    fn trust(&self) {
        for place in ["0", "1"] {
            fs::write(self.folder.join(place), self.demo.text(&format!("/admins/{place}/password"))).unwrap();
        }
        let names = ["0", "1"].map(|place| self.demo.text(&format!("/admins/{place}/username")).to_owned());
        let server = ["--server", self.demo.text("/base"), "--ca", self.demo.text("/caFile")];
        let files = ["--password-file", "0", "--password-file", "1"];
        self.done("admins", &[&["login", &names[0], &names[1]], &files[..], &server[..]].concat());
        let made =
            ["identity-provider", "create", "--name", "clients", "--authority-file", "ca.pem", "--crl-file", "ca.crl"];
        self.done("admins", &made);
        let bound = ["identity-binding", "create", "--name", "ci", "--identity", "ci", "--provider", "clients"];
        self.done("admins", &[&bound[..], &["--subject", "CN=ci,O=Example"]].concat());
    }
}

#[test]
fn a_certificate_logs_in_at_the_socket_that_asks() {
    let folder = temp_dir();
    certificates(folder.path());
    let asking = format!("127.0.0.1:{}", free_port());
    let demo = Demo::start_made(folder.path(), &["--client-cert-listen", &asking, "--log-level", "info"]);
    let client = demo.client();
    let role = json!({"name": "builders", "loginsRequired": 1, "perms": ["Signing:Submit"]});
    let role = client.create_role(&serde_json::from_value(role).unwrap()).unwrap().uuid;
    let ci = json!({"name": "ci", "kind": "Application", "roleUuids": [role]});
    let _ci = client.create_identity(&serde_json::from_value(ci).unwrap()).unwrap();
    let place = Place { folder: folder.path(), demo: &demo };
    place.trust();

    let server = ["--server", &format!("https://{asking}"), "--ca", demo.text("/caFile")];
    let login = [&["login", "--client-cert", "ci.pem", "--client-key", "ci.key"][..], &server].concat();
    assert!(place.done("ci", &login).contains("as ci."));
    assert!(place.done("ci", &["whoami"]).contains("ci"));
    let profile = fs::read_to_string(folder.path().join("ci/chancery/servers/default.json")).unwrap();
    let key = fs::read_to_string(folder.path().join("ci.key")).unwrap();
    assert!(profile.contains("ci.key") && !profile.contains(key.lines().nth(1).unwrap()), "{profile}");
    // Once more, from the files that the profile names.
    assert!(place.done("ci", &["login"]).contains("as ci."));
    place.done("ci", &["logout"]);

    let other = [&["login", "--client-cert", "carol.pem", "--client-key", "carol.key"][..], &server].concat();
    let refused = place.run("carol", &other);
    assert_eq!(refused.status.code(), Some(3), "{}", refused.stderr);
    assert!(refused.stderr.contains("The client certificate is refused"), "{}", refused.stderr);
    assert!(demo.server.logs("why=\"Unbound\""), "{}", demo.server.log());
    let mixed = [&["login", "--client-cert", "ci.pem", "--client-key", "carol.key"][..], &server].concat();
    let refused = place.run("carol", &mixed);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("the client certificate and its key do not serve"), "{}", refused.stderr);
    // The usual socket asks nobody.
    let usual = ["--server", demo.text("/base"), "--ca", demo.text("/caFile"), "--server-profile", "usual"];
    let refused = place.run("carol", &[&login[..5], &usual].concat());
    assert!(refused.stderr.contains("has shown no client certificate"), "{}", refused.stderr);
}
