//! Signing a file, and what its approvers see.

use std::{fs, time::Duration};

use super::place::Place;

const RELEASES: &str = "--service 'demo releases'";

#[test]
fn files_are_signed_when_people_have_approved_them() {
    let place = Place::logged_in();
    at_once(&place);
    after_approval(&place);
    swapped(&place);
    denied_and_late(&place);
    part_in_what_waits(&place);
    proposals_are_decided(&place);
    changes_wait(&place);
    steps_of_roles(&place);
    inside_files(&place);
    what_is_inside(&place);
    of_another_file(&place);
}

/// What the server found in an upload is shown before anybody is asked.
fn what_is_inside(place: &Place) {
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y";
    let of = "--hash Sha2_256 --format Powershell --num-approvals 1 --name looked-at --subject CN=Looked";
    place.sh(&format!("{service} {of}")).done();
    place.write("looked.ps1", "Write-Output 'one'\r\nWrite-Output 'two'\r\n");
    place.sh("chancery sign looked.ps1 --service looked-at --upload").failed(8);
    let listed = place.sh("chancery approve --server-profile approver").done();
    assert!(listed.contains("content     40 bytes: chancery approve "), "{listed}");
    let seen = place.sh("chancery deny looked.ps1 --yes --server-profile approver").done();
    let sha256 = place.sh("sha256sum looked.ps1").done();
    let sha256 = sha256.split(' ').next().unwrap();
    for line in [
        &format!("content     40 bytes; sha256sum prints\n            {sha256}"),
        "inside      Script, 2 lines",
        "signatures  0 in it already, verified by nobody",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
}

fn at_once(place: &Place) {
    place.write("tool.bin", "a tool");
    let said = place.sh("chancery sign tool.bin --service 'demo signing'").done();
    assert_eq!(said, "tool.bin: signed and verified: tool.bin.p7s\n");
    place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
    let openssl = "openssl cms -verify -binary -inform DER -in tool.bin.p7s -content tool.bin -CAfile root.pem -purpose any -out /dev/null";
    assert!(place.sh(openssl).code == Some(0));
    place.sh("chancery verify --signature tool.bin.p7s --file tool.bin --root root.pem").done();
    // What verifies to nobody's root is not written.
    place.sh("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout o.key -out o.pem -days 3 -subj /CN=Other").done();
    let refused = place.sh("chancery sign tool.bin --service 'demo signing' --root o.pem --out other.p7s").failed(1);
    assert!(refused.contains("the signature is not good"), "{refused}");
    assert!(!place.path("other.p7s").exists());
}

fn after_approval(place: &Place) {
    place.write("app.tar", "an application");
    let line = format!("chancery sign app.tar {RELEASES} --note 'ticket 7\u{202e}' --metadata commit=0a1b");
    let hidden = place.sh(&line).failed(5);
    assert!(hidden.contains("/note"), "{hidden}");
    let computed = place.sh(&format!("{line} --metadata fileSha256=00")).failed(2);
    assert!(computed.contains("--metadata fileSha256: this is computed of the file"), "{computed}");
    let line = line.replace('\u{202e}', "");
    let waits = place.sh(&line).failed(8);
    assert!(waits.contains("0 of 1 given, 1 missing") && waits.contains("--request"), "{waits}");
    assert!(!place.path("app.tar.p7s").exists());

    let seen = place.sh("chancery approve --server-profile approver").done();
    let sha256 = place.sh("sha256sum app.tar").done();
    let sha256 = sha256.split(' ').next().unwrap();
    for line in [
        "file        app.tar",
        "by Admin1 and Admin2",
        &format!("digest      {sha256}  of the file, as sha256sum prints it"),
        "claim       note: ticket 7",
        "claim       commit: 0a1b",
        "claim       fileSize: 14",
        "approvals   0 of 1 given, 1 missing",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
    let unasked = place.sh("chancery approve app.tar --server-profile approver < /dev/null").failed(2);
    let found = place.json("chancery request list --metadata commit=0a1b");
    let by_digest = format!("chancery approve {} --digest {sha256}", found["items"][0]["uuid"].as_str().unwrap());
    assert!(unasked.contains("nobody is there to ask") && unasked.contains(&by_digest), "{unasked}");
    place.write("other.tar", "another one");
    let other = place.sh("chancery approve app.tar --yes --file other.tar --server-profile approver").failed(1);
    assert!(other.contains("this is not the file"), "{other}");

    let found = place.json("chancery request list --metadata commit=0a1b");
    assert_eq!(found["total"], 1, "{found}");
    assert_eq!(place.json("chancery request list --metadata commit=other")["total"], 0);
    let id = found["items"][0]["uuid"].as_str().unwrap().to_owned();
    let waiting = std::thread::scope(|scope| {
        let line = format!("chancery sign app.tar {RELEASES} --request {id} --wait --timeout 60s");
        let waiting = scope.spawn(move || place.sh(&line));
        std::thread::sleep(Duration::from_millis(700));
        let approved = place.sh("chancery approve app.tar --yes --file app.tar --server-profile approver").done();
        assert!(approved.ends_with("approved: app.tar: 1 of 1 approvals; Signed\n"), "{approved}");
        waiting.join().unwrap()
    });
    assert!(waiting.err.contains("waits for approvals: 0 of 1 given, 1 missing"), "{waiting:?}");
    assert_eq!(waiting.done(), "app.tar: signed and verified: app.tar.p7s\n");
    place.sh("chancery verify --signature app.tar.p7s --file app.tar --root root.pem").done();
    let again = place.sh("chancery approve app.tar --yes --server-profile approver").failed(5);
    assert!(again.contains("does not wait: it is Signed"), "{again}");
}

/// Between the look and the decision another one took its name.
fn swapped(place: &Place) {
    let submitted = |text: &str| {
        place.write("swapped.tar", text);
        place.sh(&format!("chancery sign swapped.tar {RELEASES}")).failed(8);
        let waits = place.json("chancery request list --state Approval");
        waits["items"][0]["uuid"].as_str().unwrap().to_owned()
    };
    let seen = submitted("what was looked at");
    let looked = place.sh("chancery approve swapped.tar --server-profile approver < /dev/null").failed(2);
    let line = looked.lines().last().unwrap();
    let by_digest = line[line.rfind("chancery approve ").unwrap()..].to_owned();
    assert!(by_digest.contains(&seen), "{looked}");
    place.sh("chancery request cancel swapped.tar").done();
    let other = submitted("what is in its place");
    let refused = place.sh("chancery approve swapped.tar --yes --server-profile approver").failed(2);
    assert!(refused.contains(&seen) && refused.contains(&format!("chancery approve {other} --digest ")), "{refused}");
    place.sh(&format!("{by_digest} --server-profile approver")).failed(5);
    let digest = by_digest.rsplit(' ').next().unwrap();
    for named in ["swapped.tar", &other] {
        let refused =
            place.sh(&format!("chancery approve {named} --digest {digest} --server-profile approver")).failed(5);
        assert!(refused.contains("is not what was shown") && refused.contains("nothing was decided"), "{refused}");
    }
    place.sh(&format!("chancery approve --digest {digest} --server-profile approver")).failed(2);
    let own = place.sh("sha256sum swapped.tar").done();
    let approve = format!("chancery approve swapped.tar --digest {} --server-profile approver", &own[..64]);
    place.sh(&approve).done();
}

fn denied_and_late(place: &Place) {
    place.write("wrong.tar", "wrong");
    let waits = place.sh(&format!("chancery sign wrong.tar {RELEASES} --wait --timeout 1s")).failed(8);
    assert!(waits.contains("not approved within"), "{waits}");
    let long = place.sh(&format!("chancery sign wrong.tar {RELEASES} --wait --timeout 13h")).failed(2);
    assert!(long.contains("the login ends before") && long.contains("API key"), "{long}");
    let id = place.json("chancery request list --state Approval")["items"][0]["uuid"].as_str().unwrap().to_owned();
    place.sh("chancery deny wrong.tar --yes --note 'not from the tag' --server-profile approver").done();
    let denied = place.sh(&format!("chancery sign wrong.tar {RELEASES} --request {id} --wait")).failed(6);
    assert!(denied.contains("denied by Approver1: not from the tag"), "{denied}");
    // A login by password ends, and without --timeout that is the end of the waiting.
    assert!(denied.contains("no longer than 11 h: then the login ends"), "{denied}");
    assert!(!place.path("wrong.tar.p7s").exists());

    place.write("brief.json", r#"{"pkisigning": {"rules": {"requestLifetime": {"unit": "Second", "amount": "1"}}}}"#);
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256";
    place
        .sh(&format!("{service} --name brief --subject CN=Brief --format CMS --num-approvals 1 --file brief.json"))
        .done();
    let expired = place.sh("chancery sign wrong.tar --service brief --wait --timeout 30s").failed(7);
    assert!(expired.contains("waited too long"), "{expired}");
}

const CREATE: &str = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256 --format CMS";

/// Who has approved or submitted something sees that, below what is theirs to decide.
fn part_in_what_waits(place: &Place) {
    place.sh(&format!("{CREATE} --name pairs --subject CN=Pairs --num-approvals 2")).done();
    for (file, service) in [("first.tar", "pairs"), ("second.tar", "demo releases")] {
        place.write(file, file);
        place.sh(&format!("chancery sign {file} --service '{service}'")).failed(8);
    }
    place.sh("chancery approve first.tar --yes --server-profile approver").done();
    let seen = place.sh("chancery approve --server-profile approver").done();
    let (second, first) = (seen.find("second.tar").unwrap(), seen.find("first.tar").unwrap());
    assert!(second < first && seen.contains("you         approved it already"), "{seen}");
    assert_eq!(seen.matches("you         ").count(), 1, "{seen}");
    let unasked = place.sh("chancery approve first.tar --server-profile approver < /dev/null").failed(5);
    assert!(unasked.contains("first.tar: nobody is asked, since you approved it already"), "{unasked}");
    let own = place.sh("chancery approve").done();
    assert_eq!(own.matches("you         submitted it").count(), 2, "{own}");
    assert_eq!(own.matches("you may approve it all the same").count(), 2, "{own}");
    for file in ["first.tar", "second.tar"] {
        place.sh(&format!("chancery request cancel {file}")).done();
    }
    assert_eq!(place.sh("chancery approve").done(), "Nothing waits.\n");
}

/// Proposals wait as requests do: they are shown whole, found by name, and approved as they were shown.
fn proposals_are_decided(place: &Place) {
    let propose = |name: &str| {
        let digest = "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=";
        let policy = "--policy 'demo releases/demo releases'";
        place.sh(&format!("chancery proposal pre-approve --name {name} {policy} --digest {digest}")).done()
    };
    propose("weekly");
    let shown = place.json("chancery proposal show weekly");
    assert!(shown["content"].as_str().unwrap().starts_with("{\"PreApproval\""), "{shown}");
    let seen = place.sh("chancery approve --server-profile approver").done();
    for line in [
        "name        weekly",
        "kind        PreApproval",
        "content     PreApproval.policyUuid: demo releases\n            (",
        "content     PreApproval.digests: PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=",
        "approvals   0 of 1 given, 1 missing",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
    assert!(!seen.contains("you         "), "{seen}");
    assert!(place.sh("chancery approve").done().contains("you         submitted it"));
    let json = place.sh("chancery approve --output json --server-profile approver").done();
    assert!(json.lines().count() == 2 && json.lines().nth(1).unwrap().contains("weekly"), "{json}");
    let unasked = place.sh("chancery approve weekly --server-profile approver < /dev/null").failed(2);
    assert!(unasked.contains("nobody is there to ask"), "{unasked}");
    let file = place.sh("chancery approve weekly --file app.tar --yes --server-profile approver").failed(2);
    assert!(file.contains("this is a proposal"), "{file}");
    let approved = place.sh("chancery approve weekly --yes --note agreed --server-profile approver").done();
    assert!(approved.contains("kind        PreApproval"), "{approved}");
    assert!(approved.ends_with("approved: weekly: 1 of 1 approvals; Active\n"), "{approved}");
    let again = place.sh("chancery approve weekly --yes --server-profile approver").failed(5);
    assert!(again.contains("weekly does not wait: it is Active"), "{again}");

    propose("monthly");
    let other = place.sh("chancery proposal approve monthly --digest AAAA --server-profile approver").failed(5);
    assert!(other.contains("igest"), "{other}");
    let shown = place.sh("chancery proposal approve monthly --server-profile approver").done();
    let (before, after) = (shown.find("content     PreApproval.digests").unwrap(), shown.find("Active").unwrap());
    assert!(before < after, "{shown}");
    propose("daily");
    let denied = place.sh("chancery deny daily --yes --server-profile approver").done();
    assert!(denied.contains("content     ") && denied.ends_with("denied: daily\n"), "{denied}");
    propose("daily");
    let again = place.sh("chancery approve daily --server-profile approver < /dev/null");
    let seen = again.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let denied = "look twice an earlier proposal of exactly the same was denied by Approver1, ";
    assert!(again.code == Some(2) && seen.contains(denied), "{again:?}");
    place.sh("chancery deny daily --yes --server-profile approver").done();
    propose("twice");
    propose("twice");
    let twice = place.sh("chancery approve twice --yes --server-profile approver").failed(2);
    assert!(twice.contains("2 of this name wait") && twice.matches("  proposal  ").count() == 2, "{twice}");
    let uuids = twice.lines().filter_map(|line| line.trim().split_once("  proposal  ")).map(|(uuid, _)| uuid);
    uuids.for_each(|uuid| {
        place.sh(&format!("chancery deny {uuid} --yes --server-profile approver")).done();
    });
}

/// A change that waits has changed nothing, and gives nobody anything.
fn changes_wait(place: &Place) {
    let waits = place.sh("chancery policy change 'demo releases/demo releases' --num-approvals 2");
    let (told, proposal) = waits.err.trim_end().rsplit_once(' ').unwrap();
    assert_eq!(told, "Nothing has changed yet, this waits for approvals: chancery proposal show", "{waits:?}");
    place.sh(&format!("chancery proposal withdraw {proposal}")).done();
    let stands = |line: &str| line.split_whitespace().eq(["numApprovals", "1"]);
    assert!(waits.done().lines().any(stands));
}

/// Where certain roles have to approve, whoever waits learns which one is next.
fn steps_of_roles(place: &Place) {
    let role = place.json("chancery role show Approver")["objInfo"]["uuid"].as_str().unwrap().to_owned();
    let rules = format!(r#"{{"approvalSteps": [{{"roleUuids": ["{role}"], "numApprovals": 1}}]}}"#);
    place.write("steps.json", format!(r#"{{"pkisigning": {{"rules": {rules}}}}}"#));
    place.sh(&format!("{CREATE} --name steps --subject CN=Steps --num-approvals 2 --file steps.json")).done();
    let waits = place.sh("chancery sign app.tar --service steps --out steps.p7s").failed(8);
    assert!(waits.contains("0 of 2 given, 2 missing, the next one of the role Approver"), "{waits}");
    place.sh("chancery approve app.tar --yes --server-profile approver").done();
    let seen = place.sh("chancery approve").done();
    assert!(seen.contains("1 of 2 given (Approver1), 1 missing\n"), "{seen}");
    place.sh("chancery request cancel app.tar").done();
}

/// The service whose format fits the file is taken, and the file is replaced as a whole.
fn inside_files(place: &Place) {
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256 --num-approvals 0";
    place.sh(&format!("{service} --name scripts --subject CN=Scripts --format Powershell")).done();
    place.sh(&format!("{service} --name bare --subject CN=Bare --format Raw")).done();
    place.write("script.ps1", "Write-Output 'hello'\r\n");
    let wrong = place.sh("chancery sign tool.bin --service scripts").failed(2);
    assert!(wrong.contains("scripts signs Powershell") && wrong.contains("chancery service list"), "{wrong}");
    fs::create_dir(place.path("signed")).unwrap();
    let said = place.sh("chancery sign script.ps1 tool.bin --service bare --service scripts --out signed").done();
    assert!(said.contains("signed/script.ps1\n") && said.contains("signed/tool.bin.sig\n"), "{said}");
    let signed = fs::read_to_string(place.path("signed/script.ps1")).unwrap();
    assert!(
        signed.starts_with("Write-Output 'hello'\r\n# SIG # Begin") || signed.contains("# SIG # Begin"),
        "{signed}"
    );
    place
        .sh("chancery cert download Bare --out bare.pem && openssl x509 -in bare.pem -pubkey -noout > bare.pub")
        .done();
    place.sh("openssl dgst -sha256 -verify bare.pub -signature signed/tool.bin.sig tool.bin").done();
    // In the place of the file, and by upload to the same bytes' format.
    place.sh("chancery sign script.ps1 --service scripts --upload").done();
    assert!(fs::read_to_string(place.path("script.ps1")).unwrap().contains("# SIG # Begin"));
}

fn of_another_file(place: &Place) {
    let mine = place.json("chancery request list --state Signed --search app.tar")["items"][0]["uuid"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = place.sh(&format!("chancery sign other.tar {RELEASES} --request {mine}")).failed(1);
    assert!(other.contains("of another file"), "{other}");
    assert!(!place.path("other.tar.p7s").exists());
    // A folder that nobody may write to, and a disk without room: the request is told, and nothing half stays.
    let gone = place.sh("chancery sign tool.bin --service 'demo signing' --out none/x.p7s").failed(2);
    assert!(gone.contains("there is no such folder") && gone.contains("Nothing was submitted"), "{gone}");
    let full =
        place.sh("trap '' XFSZ; ulimit -f 1; chancery sign tool.bin --service 'demo signing' --out full.p7s").failed(1);
    assert!(full.contains("could not be written") && full.contains("--request"), "{full}");
    let left = fs::read_dir(place.folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name.starts_with("full.p7s")).count(), 0);
}
