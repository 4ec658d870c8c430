//! Who could do what at a moment, and who has gained and lost what since.

use super::place::Place;

#[test]
fn who_could_do_what_at_a_moment_and_what_has_changed_since() {
    let place = Place::logged_in();
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    place.sh("chancery identity create --name ci --kind Application --role Builders --out ci.key").done();
    // To the millisecond: what comes in a later one has changed since.
    place.sh("sleep 0.02; date -u +%FT%T.%3NZ > then; sleep 0.02").done();
    place.sh("chancery role change Builders --name Makers --perm Audit:Read").done();

    let now = place.sh("chancery audit access --search ci").done();
    assert!(now.contains("Audit:Read") && now.contains("Makers") && !now.contains("Builders"), "{now}");
    let then = place.sh("chancery audit access --search ci --as-of \"$(cat then)\"").done();
    assert!(then.contains("Signing:Submit") && then.contains("Builders") && !then.contains("Audit:Read"), "{then}");
    let report = place.json("chancery audit access --search ci --as-of \"$(cat then)\"");
    assert_eq!(report["asOf"], place.sh("cat then").done().trim(), "{report}");

    let effect = place.sh("chancery audit effect --since \"$(cat then)\"").done();
    let lines: Vec<_> = effect.lines().collect();
    assert_eq!(lines, ["1 identity gains Audit:Read: ci", "1 identity loses Signing:Submit: ci"]);
    let since_now = place.sh("chancery audit effect --since \"$(date -u +%FT%T.%3NZ)\"").done();
    assert!(since_now.contains("Nobody has gained or lost a right since then."), "{since_now}");

    for command in ["access --as-of", "effect --since"] {
        let early = place.sh(&format!("chancery audit {command} 2020-01-01T00:00:00Z")).failed(5);
        assert!(early.contains("do not go back so far"), "{early}");
        let late = place.sh(&format!("chancery audit {command} 2120-01-01T00:00:00Z")).failed(5);
        assert!(late.contains("still to come"), "{late}");
    }
    assert!(place.sh("chancery audit effect").failed(2).contains("--since is needed"));
}
