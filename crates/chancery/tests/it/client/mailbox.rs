//! A mailbox that is changed keeps what is not named.

use chancery_testkit::temp_dir;
use serde_json::{Value, json};

use super::place::Place;
use crate::relay::Relay;

#[test]
fn what_is_not_named_stays() {
    let kept = temp_dir();
    let relay = Relay::listen(kept.path());
    let place = Place::with(&relay.arguments().each_ref().map(String::as_str)).with_logins();
    let set = |words: &str| -> Value {
        place.json(&format!("chancery mailbox set a@example.org {words} --server-profile approver"))
    };
    let shown =
        |found: &Value| json!([found["kinds"], found["serviceUuids"].as_array().unwrap().len(), found["enabled"]]);
    let first = set("--kind Waiting,Failed --service 'demo releases'");
    assert_eq!(shown(&first["pending"]), json!([["Waiting", "Failed"], 1, true]));
    let code = relay.code("a@example.org");
    place.sh(&format!("chancery mailbox confirm {code} --server-profile approver")).done();
    assert_eq!(shown(&set("--enabled false")), json!([["Waiting", "Failed"], 1, false]));
    assert_eq!(shown(&set("--enabled true")), json!([["Waiting", "Failed"], 1, true]));
    assert_eq!(shown(&set("--kind Waiting")), json!([["Waiting"], 1, true]));
    assert_eq!(shown(&set("--kind all --service all")), json!([[], 0, true]));
}
