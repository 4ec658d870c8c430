//! What goes wrong, how it is said, and with which exit code.

use chancery_testkit::free_port;

use super::place::{NOBODYS_KEY, Place};

/// Answers each call that it has nobody to ask.
const BALANCER: &str = "\
import http.server, ssl, sys
class Balancer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(502)
        self.end_headers()
        self.wfile.write(b'<html>Bad Gateway</html>')
server = http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Balancer)
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain('data/tls/tls.pem', 'data/tls/tls.key')
server.socket = tls.wrap_socket(server.socket, server_side=True)
server.serve_forever()
";

#[test]
fn what_goes_wrong_is_said_with_what_to_do() {
    let place = Place::logged_in();
    let profile = place.sh("chancery role list --server-profile nobody").failed(2);
    assert!(profile.contains("there is no such profile") && profile.contains("approver, default"), "{profile}");
    let name = place.sh("chancery role show Nobody").failed(2);
    assert!(name.contains("Nobody: there is no such role") && name.contains("chancery role list"), "{name}");
    let similar = place.sh("chancery role show Audit").failed(2);
    assert!(similar.contains("Did you mean one of these?") && similar.contains("Auditor"), "{similar}");
    let refused = place
        .sh("chancery role create --name X --logins-required 1 --perm Signing:Submit --server-profile approver")
        .failed(5);
    assert!(refused.contains("chancery whoami"), "{refused}");
    let usage = place.sh("chancery role create --nonsense").failed(2);
    assert!(usage.contains("--nonsense"), "{usage}");
    let body = place.sh("echo '[]' | chancery role create --file -").failed(2);
    assert!(body.contains("an object is expected"), "{body}");

    files(&place);
    ambiguous_names(&place);
    addresses(&place);
    what_show_printed(&place);
    rules(&place);
    proposals(&place);
    let log = place.sh("chancery log watch --once").done();
    assert!(log.contains("from now on kept"), "{log}");
    place.sh("chancery tokenize --profile 'demo cards' 4111111111111111").done();
    balancer(&place);
    log_that_was_changed(&place);
}

/// What an option names is read alike, whichever it is, and not without an end.
fn files(place: &Place) {
    place.write("app.tar", "a program");
    let commands = [
        ("--file", "role create --file"),
        ("--csr", "cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' --out c.pem --csr"),
        ("--provenance", "sign app.tar --service 'demo releases' --provenance"),
        ("--certificates", "ca import --certificates"),
        ("--ca", &format!("whoami --server {} --ca", place.base())),
    ];
    for (option, command) in commands {
        let none = place.sh(&format!("chancery {command} none")).failed(2);
        assert!(none.contains(&format!("{option} none: No such file")), "{none}");
        let endless = place.sh(&format!("chancery {command} /dev/zero")).failed(2);
        assert!(endless.contains(&format!("{option} /dev/zero: it is longer than 1048576 bytes")), "{endless}");
    }
}

/// Two requests of one name are told apart by their uuids.
fn ambiguous_names(place: &Place) {
    place.write("same.tar", "same");
    for _ in 0..2 {
        place.sh("chancery sign same.tar --service 'demo releases'").failed(8);
    }
    for command in ["request show same.tar", "approve same.tar --yes --server-profile approver"] {
        let refused = place.sh(&format!("chancery {command}")).failed(2);
        assert!(refused.contains("same.tar") && refused.contains("Say which, by its uuid"), "{refused}");
        assert_eq!(refused.matches("\n    ").count(), 2, "{refused}");
    }
    // Letter case does not matter where there is no other; a uuid does in any.
    let shown = place.json("chancery role show auditor");
    let uuid = shown["objInfo"]["uuid"].as_str().unwrap().to_uppercase();
    assert_eq!(place.json(&format!("chancery role show {uuid}")), shown);
}

fn addresses(place: &Place) {
    let port = free_port();
    let gone = place
        .sh(&format!("CHANCERY_API_KEY={NOBODYS_KEY} chancery whoami --server https://127.0.0.1:{port} --ca ca.pem"))
        .failed(4);
    assert!(gone.contains("could not be reached") && gone.contains("is the server running"), "{gone}");
    place.sh("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout o.key -out o.pem -days 3 -subj /CN=Other").done();
    let other = place
        .sh(&format!("CHANCERY_API_KEY={NOBODYS_KEY} chancery whoami --server {} --ca o.pem", place.base()))
        .failed(4);
    assert!(other.contains("--ca"), "{other}");
    let plain = place
        .sh(&format!("CHANCERY_API_KEY={NOBODYS_KEY} chancery whoami --server http://127.0.0.1 --ca ca.pem"))
        .failed(2);
    assert!(plain.contains("https://"), "{plain}");
    let empty = place
        .sh(&format!("CHANCERY_API_KEY={NOBODYS_KEY} chancery whoami --server {} --ca one", place.base()))
        .failed(2);
    assert!(empty.contains("certificate"), "{empty}");
    // A login that has ended: the server does not know the session any more.
    let file = place.path("home/chancery/servers/default.json");
    let kept = std::fs::read_to_string(&file).unwrap();
    place.sh("chancery logout").done();
    std::fs::write(&file, kept).unwrap();
    let ended = place.sh("chancery role list").failed(3);
    assert!(ended.contains("The login has ended") && ended.contains("chancery login"), "{ended}");
    let ended = place.sh("chancery status").failed(3);
    assert!(ended.contains("role list") || ended.is_empty(), "{ended}");
    place.sh("chancery login Admin1 Admin2 --password-file one --password-file two").done();
}

/// What `show --output json` prints is what `change --file` reads.
fn what_show_printed(place: &Place) {
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    let changed =
        "chancery role show Builders --output json | sed 's/\"loginsRequired\":1/\"loginsRequired\":2/' > role.json";
    place.sh(changed).done();
    place.sh("chancery role change Builders --file role.json").done();
    assert_eq!(place.json("chancery role show Builders")["loginsRequired"], 2);
}

/// A rule is there once, and the one that is meant is taken away.
fn rules(place: &Place) {
    let rule = |command: &str, more: &str| {
        place.sh(&format!("chancery rule {command} 'demo cards' --role Auditor --operation PartialDetokenize {more}"))
    };
    rule("create", "--reveal 4").done();
    let twice = rule("create", "--reveal 4 --reveal-from End").failed(2);
    assert!(twice.contains("has this rule already"), "{twice}");
    let other_end = rule("delete", "--reveal 4 --reveal-from Start").failed(2);
    assert!(other_end.contains("has no such rule"), "{other_end}");
    rule("create", "--reveal 2").done();
    let several = rule("delete", "").failed(2);
    assert!(several.contains("has 2 such rules") && several.contains("--reveal 4 --reveal-from End"), "{several}");
    let left = rule("delete", "--reveal 2").done();
    assert!(left.contains("PartialDetokenize  4 from End"), "{left}");
    rule("delete", "").done();
    let named = rule("create", "--mask FirstSixLastFour").done();
    assert!(named.contains("PartialDetokenize  FirstSixLastFour"), "{named}");
    let twice = rule("create", "--mask FirstSixLastFour").failed(2);
    assert!(twice.contains("has this rule already"), "{twice}");
    let unknown = rule("create", "--mask LastFive").failed(5);
    assert!(unknown.contains("--mask") && unknown.contains("LastFour"), "{unknown}");
    rule("delete", "--mask LastFour").failed(2);
    let budget = rule("create", "--mask LastFour --budget 9/Day").failed(5);
    assert!(budget.contains("--budget (/controlRules/") && budget.contains("/budgets)"), "{budget}");
    rule("delete", "--mask FirstSixLastFour").done();
}

/// Of proposals of one name the one that waits is decided.
fn proposals(place: &Place) {
    let digest = "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=";
    let policy = "--policy 'demo releases/demo releases'";
    let propose = format!("chancery proposal pre-approve --name weekly {policy} --digest {digest}");
    place.sh(&propose).done();
    place.sh("chancery proposal withdraw weekly").done();
    place.sh(&propose).done();
    let both = place.sh("chancery proposal show weekly").failed(2);
    assert!(both.contains("weekly  Approval\n") && both.contains("weekly  Denied"), "{both}");
    place.sh("chancery proposal approve weekly --server-profile approver").done();
}

/// A balancer whose server begins anew says nothing of the log.
fn balancer(place: &Place) {
    let port = free_port();
    place.write("balancer.py", BALANCER);
    let watch = format!("chancery log watch --interval 1s --server https://127.0.0.1:{port} --ca ca.pem");
    let key = "$(cat home/chancery/logs/*.key | head -1)";
    let line = format!(
        "python3 balancer.py {port} & B=$!; until curl -sk https://127.0.0.1:{port} > none; do sleep 0.1; done; \
         timeout 6 {watch} --log-key \"{key}\"; echo ended with $?; {watch} --once --log-key \"{key}\"; echo and once \
         with $?; kill $B"
    );
    let said = place.sh(&line);
    assert!(said.out.contains("ended with 124\nand once with 1\n"), "{said:?}");
    assert!(said.err.contains("status 502") && said.err.contains("trying again"), "{said:?}");
}

/// Somebody who remembers notices that the log is another one.
fn log_that_was_changed(place: &Place) {
    let folder = place.path("home/chancery/logs");
    let kept = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let kept = kept.into_iter().find(|path| path.extension().is_some_and(|end| end == "checkpoint")).unwrap();
    let text = std::fs::read_to_string(&kept).unwrap();
    place.sh("chancery cert create --profile 'TLS Server' --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --subject CN=a.example.org --san DNS:a.example.org").done();
    let mut grown = String::new();
    for _ in 0..50 {
        grown = place.sh("chancery log watch --once").done();
        if grown.contains("beginning with the same") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(grown.contains("beginning with the same"), "{grown}");
    // What was kept is changed: its signature does not fit any more.
    std::fs::write(&kept, text.replacen('\n', "\n1", 1)).unwrap();
    let refused = place.sh("chancery log watch --once").failed(1);
    assert!(refused.contains("the log is not what it was") && refused.contains("evidence"), "{refused}");
}
