//! `approve --all` and `deny --all`: one decision over what waits under a policy.

use serde_json::Value;

use super::{
    login::at_a_terminal,
    place::{Place, Said},
};

const ALL: &str = "chancery approve --all --policy 'demo releases/demo releases' --server-profile approver";

/// The lines of the decision and their SHA-256, as they were shown.
fn shown(seen: &str) -> (String, String) {
    let (_, rest) = seen.split_once("This is decided, as one:\n").unwrap_or_else(|| panic!("{seen}"));
    let (lines, rest) = rest.split_once("digest      ").unwrap();
    let text: String = lines.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    (text, rest[..64].to_owned())
}

#[test]
fn all_that_waits_under_a_policy_is_decided_as_it_was_shown() {
    let place = Place::logged_in();
    for name in ["a", "b", "c"] {
        place.write(&format!("{name}.tar"), name);
        place.sh(&format!("chancery sign {name}.tar --service 'demo releases'")).failed(8);
    }
    place.sh("chancery approve --all").failed(2);
    place.sh("chancery approve --policy 'demo releases/demo releases'").failed(2);

    // Where nobody can be asked it is shown, and nothing more.
    let Said { code, out, err } = place.sh(ALL);
    assert_eq!(code, Some(2), "{err}");
    let (text, digest) = shown(&out);
    assert!(err.contains(&format!("--digest {digest}")), "{err}");
    let own = place.sh("chancery approve a.tar");
    assert!(own.code == Some(2) && own.out.contains("you         submitted it"), "{own:?}");
    place.write("decision", &text);
    assert_eq!(&place.sh("sha256sum decision").done()[..64], digest);
    assert_eq!(text.lines().count(), 6, "{text}");
    assert!(text.starts_with("chancery decisions 1\nApprove\n"), "{text}");
    for wrong in [&digest[1..], &format!("{digest}0"), &digest.replace(char::is_numeric, "x"), "''"] {
        let refused = place.sh(&format!("{ALL} --server https://127.0.0.1:1 --digest {wrong}")).failed(2);
        assert!(refused.contains("64 hexadecimal digits are expected"), "{refused}");
    }
    let other = place.sh(&format!("{ALL} --digest {}", digest.replace(char::is_numeric, "a"))).failed(5);
    assert!(other.contains(&digest) && other.contains("nothing was decided"), "{other}");
    // One of them was denied meanwhile: what waits is no longer what was shown.
    place.sh("chancery deny b.tar --yes --server-profile approver").done();
    let changed = place.sh(&format!("{ALL} --digest {digest}")).failed(5);
    assert!(changed.contains("what waits is not what was shown"), "{changed}");
    assert_eq!(place.json("chancery request list --state Approval")["total"], 2);

    let question = "Type approve to approve this: ";
    assert_eq!(at_a_terminal(&place, ALL, &[(question, "no")]).code, Some(2));
    let approved = at_a_terminal(&place, ALL, &[(question, "approve")]).done();
    assert!(approved.contains("approved: a.tar: Signed") && approved.contains("approved: c.tar: Signed"), "{approved}");
    assert_eq!(place.sh(&format!("{ALL} --yes")).done(), "Nothing waits.\n");
    assert_eq!(place.sh(&format!("{ALL} --yes --output json")).done(), "{\"results\":[]}\n");
    place.sh(&format!("{ALL} --digest {digest}")).failed(5);
    for nothing in ["approve --yes", "deny --yes", "approve --note why"] {
        place.sh(&format!("chancery {nothing}")).failed(2);
    }

    for name in ["a", "c"] {
        place.sh(&format!("chancery sign {name}.tar --service 'demo releases'")).failed(8);
    }
    // What one has submitted is for others.
    let own = place.sh(&ALL.replace("approver", "default"));
    assert!(own.err.contains("a.tar is left out: you submitted it."), "{own:?}");
    assert_eq!(own.done(), "Nothing waits for you.\n");
    let (_, digest) = shown(&place.sh(&ALL.replace("approve --all", "deny --all")).out);
    let deny = format!("{} --digest {digest} --note no --output json", ALL.replace("approve --all", "deny --all"));
    let denied: Value = serde_json::from_str(&place.sh(&deny).done()).unwrap();
    assert_eq!(
        (&denied["results"][1]["state"], denied["results"].as_array().unwrap().len()),
        (&Value::from("Denied"), 2)
    );
}

/// What others denied is told wherever it waits again, whatever its name and whoever withdrew the same since; and it is approved by
/// itself alone.
#[test]
fn what_others_denied_is_told_when_it_is_asked_for_again() {
    let place = Place::logged_in();
    let submit = |name: &str, content: &str| {
        place.write(name, content);
        place.sh(&format!("chancery sign {name} --service 'demo releases'")).failed(8);
        let waits = place.json("chancery request list --state Approval");
        let one = waits["items"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
        one["uuid"].as_str().unwrap().to_owned()
    };
    let cancel = |uuid: String| place.sh(&format!("chancery request cancel {uuid}")).done();
    cancel(submit("x.tar", "bad"));
    let denied = submit("x.tar", "bad");
    place.sh(&format!("chancery deny {denied} --yes --note malware --server-profile approver")).done();
    cancel(submit("x.tar", "bad"));
    cancel(submit("good.tar", "good"));

    let (again, renamed, other) = (submit("x.tar", "bad"), submit("y.tar", "bad"), submit("X.TAR", "other"));
    let good = submit("good.tar", "good");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let content = "look twice an earlier request of the same content was denied by Approver1, ";
    let name = "look twice an earlier request of this name, with other content, was denied by Approver1, ";
    for (uuid, what) in [(&again, content), (&renamed, content), (&other, name)] {
        let look = format!("chancery approve {uuid} --server-profile approver");
        let seen = place.sh(&format!("{look} < /dev/null"));
        let shown = words(&seen.out);
        assert!(seen.code == Some(2) && shown.contains(what) && shown.contains(": malware"), "{seen:?}");
        let json = place.sh(&format!("{look} --output json < /dev/null")).failed(2);
        assert!(json.contains(&what.replace("look twice", "look twice:")), "{json}");
    }
    let listed = words(&place.sh("chancery approve --server-profile approver").done());
    assert_eq!(listed.matches("look twice ").count(), 3, "{listed}");

    let all = place.sh(ALL);
    for left_out in ["x.tar", "y.tar", "X.TAR"] {
        assert!(all.err.contains(&format!("{left_out} is left out: an earlier request of ")), "{all:?}");
    }
    let (text, _) = shown(&all.out);
    assert!(text.lines().count() == 4 && text.contains(&good), "{text}");
    let approved = place.sh(&format!("{ALL} --yes")).done();
    assert!(approved.ends_with("approved: good.tar: Signed\n"), "{approved}");
    assert_eq!(place.sh(&format!("{ALL} --yes")).done(), "Nothing waits that is approved with others.\n");
    place.sh(&format!("chancery approve {again} --yes --server-profile approver")).done();
}

/// Who may not approve anything is told so, whatever is asked for.
#[test]
fn who_may_not_approve_is_told_so() {
    let place = Place::logged_in();
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    place.sh("chancery identity create --name ci --kind Application --role Builders --out ci.key").done();
    place.write("a.tar", "a");
    let by = format!("--server {} --ca ca.pem --api-key-file ci.key", place.base());
    place.sh(&format!("chancery sign a.tar --service 'demo releases' {by}")).failed(8);
    let all = "--all --policy 'demo releases/demo releases' --yes";
    for what in ["", "a.tar --yes", "none.tar --yes", all, "--output json"] {
        let refused = place.sh(&format!("chancery approve {what} {by}")).failed(5);
        assert!(
            refused.contains("you may not approve: that takes the permission Signing:Approve"),
            "{what}: {refused}"
        );
    }
    // Taking back is another matter.
    place.sh(&format!("chancery deny a.tar --yes {by}")).done();
}
