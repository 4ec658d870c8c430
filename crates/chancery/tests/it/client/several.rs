//! Several files at once, and a server that goes away and comes back meanwhile.

use std::thread::scope;

use chancery_testkit::Tool;
use serde_json::Value;

use super::{
    login::at_a_terminal,
    place::{Place, Said},
};
use crate::process::Server;

const APPROVER: &str = "--server-profile approver";

fn bodies(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_becomes_of_one_file_is_no_matter_of_another() {
    let place = Place::logged_in();
    for name in ["a.tar", "b.tar", "c.tar", "d.tar"] {
        place.write(name, name);
    }
    let said = scope(|scope| {
        let waiting = scope.spawn(|| {
            place
                .sh("chancery sign a.tar b.tar c.tar d.tar --service 'demo releases' --wait --timeout 6s --output json")
        });
        place.until_waiting(4);
        place.sh(&format!("chancery deny b.tar --yes --note 'not from the tag' {APPROVER}")).done();
        place.sh(&format!("chancery approve a.tar c.tar --yes {APPROVER}")).done();
        waiting.join().unwrap()
    });
    let bodies = bodies(&said.out);
    // Each as it begins to wait, and as it ends.
    let states = |name: &str| -> Vec<_> {
        let of = bodies.iter().map(|body| &body["response"]).filter(|request| request["name"] == name);
        of.map(|request| request["state"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(states("a.tar"), ["Approval", "Signed"], "{said:?}");
    assert_eq!(states("b.tar"), ["Approval", "Denied"]);
    assert_eq!(states("c.tar"), ["Approval", "Signed"]);
    assert_eq!(states("d.tar"), ["Approval"]);
    let failed = said.failed(6);
    assert!(failed.contains("denied by Approver1: not from the tag"), "{failed}");
    assert!(failed.contains("chancery: d.tar: request ") && failed.contains("sign d.tar --request "), "{failed}");
    let told =
        failed.lines().find_map(|line| line.trim_start().strip_prefix("Go on, with what else was said: ")).unwrap();
    assert!(place.sh(told).failed(8).contains("1 missing"), "the line that is told runs as it stands: {told}");
    assert!(failed.ends_with("chancery: 2 of 4 files are not signed\n"), "{failed}");
    for (name, is_there) in [("a.tar", true), ("b.tar", false), ("c.tar", true), ("d.tar", false)] {
        assert_eq!(place.path(&format!("{name}.p7s")).exists(), is_there, "{name}");
    }
    // With the same options, whatever they were.
    let id = bodies.iter().find(|body| body["response"]["name"] == "d.tar").unwrap()["response"]["uuid"].clone();
    let again = "--note 'as before' --metadata commit=0a1b --name d.tar --upload";
    let line = format!(
        "chancery sign d.tar --service 'demo releases' {again} --request {} --output json",
        id.as_str().unwrap()
    );
    let waits = place.sh(&line);
    assert_eq!(waits.code, Some(8), "{waits:?}");
    assert_eq!(serde_json::from_str::<Value>(&waits.out).unwrap()["response"]["uuid"], id);

    // Whoever is asked has seen what for.
    let line = format!("chancery approve d.tar {APPROVER}");
    for line in [format!("{line} --output json"), format!("{line} > answer"), line] {
        let said = at_a_terminal(&place, &line, &[("Type approve to approve this: ", "no")]).out;
        assert_eq!(said.matches("\nsubmitted   ").count(), 1, "{line}: {said}");
    }
}

#[test]
fn waiting_outlasts_a_restart_of_the_server() {
    let mut place = Place::logged_in();
    place.write("app.tar", "an application");
    place.write("late.tar", "a late one");
    let shell = |place: &Place, line: &str| {
        let line = format!("unset CHANCERY_SERVER CHANCERY_SERVER_PROFILE CHANCERY_API_KEY_FILE; {line}");
        let tool: Tool = place.shell().args(["-c", &line]);
        std::thread::spawn(move || {
            let ran = tool.try_run();
            Said { code: ran.status.code(), out: ran.text(), err: ran.stderr }
        })
    };
    let sign = "--service 'demo releases' --wait --output json --timeout";
    let waiting = shell(&place, &format!("chancery sign app.tar {sign} 120s"));
    place.until_waiting(1);
    let late = shell(&place, &format!("chancery sign late.tar {sign} 10s"));
    place.until_waiting(2);
    let address = place.demo.address();
    place.demo.server.signal("-TERM");
    place.demo.server.wait();
    let late = late.join().unwrap();
    let uuid = bodies(&late.out)[0]["response"]["uuid"].as_str().unwrap().to_owned();
    let failed = late.failed(4);
    assert!(failed.contains("trying again") && failed.contains(&format!("sign late.tar --request {uuid}")), "{failed}");

    let data = place.path("data").display().to_string();
    place.demo.server = Server::spawn(place.folder(), &["quickstart", "--data", &data, "--listen", &address]);
    place.demo.server.wait_until("the last line", |server| server.output().contains("until Ctrl-C.").then_some(()));
    place
        .sh("chancery login --server-profile approver Approver1 --password-file three && chancery approve app.tar --yes --server-profile approver")
        .done();
    let waited = waiting.join().unwrap();
    assert!(waited.err.contains("could not be reached") && waited.err.contains("trying again"), "{waited:?}");
    assert_eq!(bodies(&waited.done()).last().unwrap()["response"]["state"], "Signed");
    place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
    place.sh("chancery verify --signature app.tar.p7s --file app.tar --root root.pem").done();
}
