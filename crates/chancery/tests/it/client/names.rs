//! Names that could be taken for those of two people, and what shows who did what.

use super::place::Place;

const RELEASES: &str = "--service 'demo releases'";

/// What is shown of each of them.
const PEOPLE: [(&str, &str); 3] = [
    ("Admin1, Admin2", r#""Admin1, Admin2""#),
    ("Approver1 + Admin2", r#""Approver1 + Admin2""#),
    ("Admin1 and Admin2", r#""Admin1 and Admin2""#),
];

#[test]
fn one_person_never_looks_like_two() {
    let place = Place::logged_in();
    place.write("new-password", "correct horse battery");
    let create = |name: &str| {
        let line = "--kind Person --role Approver --password-file new-password";
        place.sh(&format!("chancery identity create --name '{name}' {line}"))
    };
    for (name, _) in PEOPLE {
        create(name).done();
    }
    let refused = create("Admin1 ").failed(5);
    assert!(refused.contains("--name (/name): A name does not begin or end with a blank"), "{refused}");
    let listed = place.sh("chancery identity list").done();
    for (name, shown) in PEOPLE {
        assert!(listed.lines().any(|line| line.starts_with(shown)), "{name}: {listed}");
    }
    acts(&place, PEOPLE[2]);
    // Both administrators in one session are two, and one person is one, in one and the same column.
    let audit = place.sh("chancery audit list --limit 200").done();
    assert!(audit.contains("  Admin1, Admin2  ") && audit.contains(r#"  "Admin1 and Admin2"  "#), "{audit}");
}

/// Somebody of this name logs in and approves.
fn acts(place: &Place, (name, shown): (&str, &str)) {
    let login = format!("chancery login --server {} --ca ca.pem --server-profile other '{name}'", place.base());
    let said = place.sh(&format!("{login} --password-file new-password")).done();
    assert!(said.ends_with(&format!(" as {shown}.\n")), "{said}");
    let who = place.sh("chancery whoami --server-profile other").done();
    assert!(who.contains(&format!("{shown} (Person")), "{who}");
    place.write("app.tar", "a release");
    place.sh(&format!("chancery sign app.tar {RELEASES}")).failed(8);
    let seen = place.sh("chancery approve --server-profile other").done();
    assert!(seen.contains(" by Admin1 and Admin2\n"), "{seen}");
    place.sh("chancery approve app.tar --yes --server-profile other").done();
    let request = place.sh("chancery request show app.tar").done();
    let member = |line: &&str| line.starts_with("approvals[0].identities[0].name");
    let line = request.lines().find(member).unwrap_or_else(|| panic!("{request}"));
    assert!(line.ends_with(shown), "{line}");
}
