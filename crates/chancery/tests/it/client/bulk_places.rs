//! Where bulk reads and writes: nothing is lost that a name may lead to.

use std::{fs, os::unix::fs::symlink};

use super::place::Place;

const CARDS: &str = "chancery tokenize --profile 'demo cards' --column pan";
const CARD: &str = "4111111111111111";

/// With `in.csv`, of one row.
fn place() -> Place {
    let place = Place::logged_in();
    place.write("in.csv", format!("pan,n\n{CARD},1\n"));
    place
}

fn read(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path(name)).unwrap()
}

#[test]
fn a_job_that_would_destroy_something_is_refused_before_it_begins() {
    let place = place();
    let foreign = format!("pan\n{CARD}\nsomebody else's\n");
    for name in ["foreign.csv.part", "rejected.part", "mine.csv.part.json"] {
        place.write(name, &foreign);
    }
    fs::create_dir(place.path("folder")).unwrap();
    symlink("foreign.csv.part", place.path("link.csv.part")).unwrap();
    place.write("other", "");
    fs::hard_link(place.path("other"), place.path("linked.csv.part")).unwrap();
    let input = read(&place, "in.csv");
    for (line, says) in [
        ("in.csv -o out.csv --rejects in.csv", "the input would be replaced by the file of rejects"),
        ("in.csv -o out.csv --rejects folder/../in.csv", "the input would be replaced by the file of rejects"),
        ("--format csv foreign.csv.part -o foreign.csv", "the input would be replaced by what is written"),
        ("in.csv -o same.csv --rejects same.csv", "would be the same file"),
        ("in.csv -o foreign.csv", "foreign.csv.part: this is there already"),
        ("in.csv -o foreign.csv --restart", "foreign.csv.part: this is there already"),
        ("in.csv -o out.csv --rejects rejected", "rejected.part: this is there already"),
        ("in.csv -o mine.csv", "mine.csv.part.json: this is no journal"),
        ("in.csv -o mine.csv --restart", "mine.csv.part.json: this is no journal"),
        ("in.csv -o link.csv", "link.csv.part: this is there already"),
        ("in.csv -o linked.csv", "linked.csv.part: this is there already"),
        ("in.csv -o folder", "it is a folder"),
        ("in.csv -o out.parquet", "the name says Parquet, and the output is CSV"),
        ("in.csv -o out.csv.bz2", ".gz or .zst"),
    ] {
        let said = place.sh(&format!("{CARDS} {line}")).failed(2);
        assert!(said.contains(says), "{line}: {said}");
        assert_eq!(read(&place, "in.csv"), input, "{line}");
    }
    for name in ["foreign.csv.part", "rejected.part", "mine.csv.part.json"] {
        assert_eq!(read(&place, name), foreign, "{name}");
    }
    let meet = "chancery tokenize --profile 'demo cards' --fixed-width 1:16 --fixed-width 16:4 in.csv -o out.txt";
    assert!(place.sh(meet).failed(2).contains("bytes in common"));
    let value = place.sh("chancery tokenize --profile 'demo cards' in.csv").failed(5);
    assert!(value.contains("in.csv is a file here") && value.contains("--column"), "{value}");
}

#[test]
fn devices_and_links_stay_what_they_are() {
    let place = place();
    let token = place.sh(&format!("chancery tokenize --profile 'demo cards' {CARD}")).done().trim().to_owned();
    let tokens = format!("pan,n\n{token},1\n");
    symlink("target.csv", place.path("link.csv")).unwrap();
    place.sh(&format!("{CARDS} in.csv -o link.csv")).done();
    assert!(place.path("link.csv").is_symlink());
    assert_eq!(read(&place, "target.csv"), tokens);

    place.write("bad.csv", format!("pan,n\n{CARD},1\n1234,2\n"));
    let said = place.sh(&format!("{CARDS} bad.csv -o out.csv --rejects /dev/null"));
    assert!(said.code == Some(9) && said.err.contains("begin anew"), "{said:?}");
    assert_eq!(read(&place, "out.csv"), tokens);
    place.sh("test -c /dev/null && mkfifo pipe").done();
    let piped =
        place.sh(&format!("cat pipe > piped.csv & {CARDS} in.csv -o pipe --rejects /dev/null; wait; test -p pipe"));
    assert_eq!((piped.code, read(&place, "piped.csv")), (Some(0), tokens.clone()), "{piped:?}");
    let full = place.sh(&format!("{CARDS} in.csv -o /dev/full; code=$?; test -c /dev/full && exit $code")).failed(1);
    assert!(full.contains("/dev/full"), "{full}");
    assert_eq!(place.sh(&format!("{CARDS} in.csv -o /dev/stdout --rejects /dev/null")).out, tokens);

    // What another run refused is not taken for this one's; what is no file of rejects stays, also where a link leads to it.
    assert_eq!(place.sh(&format!("{CARDS} bad.csv -o out.csv")).code, Some(9));
    assert!(read(&place, "out.csv.rejects").contains("1234,2"));
    place.sh(&format!("{CARDS} in.csv -o out.csv")).done();
    assert!(!place.path("out.csv.rejects").exists());
    place.write("notes", "mine");
    fs::copy(place.path("notes"), place.path("out.csv.rejects")).unwrap();
    symlink("notes", place.path("other.csv.rejects")).unwrap();
    for (line, file) in [
        ("in.csv -o out.csv", "out.csv.rejects"),
        ("bad.csv -o out.csv", "out.csv.rejects"),
        ("bad.csv -o other.csv", "notes"),
        ("bad.csv -o new.csv --rejects notes", "notes"),
    ] {
        let said = place.sh(&format!("{CARDS} {line}")).failed(2);
        assert!(said.contains(&format!("{file}: this is there already, and holds no rows")), "{line}: {said}");
        assert_eq!(read(&place, file), "mine", "{line}");
    }
    assert!(!place.path("other.csv").exists() && !place.path("new.csv").exists());
}

/// What is written of refused rows has values in clear: it goes with the run that begins anew, wherever that writes its own.
/// A run that is at work is no interrupted one.
#[test]
fn a_run_that_begins_anew_leaves_nothing_of_the_one_before() {
    let place = place();
    place.write("large.csv", format!("pan,n\n1234,1\n{}", format!("{CARD},1\n").repeat(200_000)));
    let journal = "a=1; while test ! -s out.csv.rejects.part; do test $((a += 1)) -lt 3000 || exit 3; sleep 0.01; done";
    symlink("out.csv", place.path("link.csv")).unwrap();
    let other = format!("{CARDS} large.csv -o link.csv");
    let at_work = format!(
        "{CARDS} large.csv -o out.csv & {journal}; kill -STOP $!; {other}; code=$?; kill -9 $!; wait; exit $code"
    );
    let refused = place.sh(&at_work).failed(2);
    assert!(refused.contains("another run is writing it"), "{refused}");
    assert!(place.path("out.csv.rejects.part").exists());
    place.sh(&other).failed(2);
    let anew = place.sh(&format!("{other} --restart --rejects elsewhere"));
    assert_eq!(anew.code, Some(9), "{anew:?}");
    assert_eq!(place.sh("ls -A | grep -c '[.]part'").out.trim(), "0");
}

/// Killed between the output's name and the end of its journal, a run has left nothing that anybody could go on with.
#[test]
fn a_journal_of_what_is_finished_stops_no_other_job() {
    let place = place();
    place.write("large.csv", format!("pan,n\n{}", format!("{CARD},1\n").repeat(200_000)));
    let journal = "a=1; while test ! -s out.csv.part.json; do test $((a += 1)) -lt 1000 || exit 3; sleep 0.01; done";
    let killed = format!("{CARDS} large.csv -o out.csv & {journal}; cp out.csv.part.json kept; kill -9 $!; wait");
    let _killed = place.sh(&killed);
    place.sh(&format!("{CARDS} large.csv -o out.csv")).done();
    assert!(!place.path("out.csv.part").exists());
    fs::rename(place.path("kept"), place.path("out.csv.part.json")).unwrap();
    place.sh(&format!("{CARDS} in.csv -o out.csv")).done();
    assert_eq!(read(&place, "out.csv").lines().count(), 2);
    assert!(!place.path("out.csv.part.json").exists());
}
