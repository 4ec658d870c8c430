//! Columns of files where a budget lets through fewer values than a file has.

use super::{
    bulk::{CARDS, card, leftovers, read},
    place::Place,
};

/// What a budget let through is written, and the same command goes on behind it when there is room again: no value of
/// a portion that was written is paid for twice.
#[test]
fn what_a_budget_let_through_is_written_and_gone_on_behind() {
    for connections in [1, 8] {
        gone_on_behind(connections);
    }
}

fn gone_on_behind(connections: u32) {
    let place = Place::logged_in();
    let cards: Vec<_> = (0..5_000).map(card).collect();
    place.write("in.csv", format!("pan\n{}\n", cards.join("\n")));
    place.sh(&format!("{CARDS} --column pan in.csv -o expected.csv")).done();
    let with_budget = |count: u32| {
        place.sh("chancery rule delete 'demo cards' --role Administrator --operation Tokenize").done();
        let rule = "chancery rule create 'demo cards' --role Administrator --operation Tokenize";
        place.sh(&format!("{rule} --budget {count}/Month")).done();
        let again = place.sh(rule).failed(2);
        assert!(again.contains("has this rule with other budgets"), "{again}");
    };
    with_budget(3_000);
    let line = format!("{CARDS} --column pan --batch 500 --connections {connections} --patience 1s in.csv -o out.csv");
    let stopped = place.sh(&line);
    assert!(stopped.code != Some(0) && stopped.err.contains("goes on where this one stopped"), "{stopped:?}");
    assert!(stopped.err.contains("--batch") && stopped.err.contains("budget"), "{stopped:?}");
    let rows = read(&place, "out.csv.part").lines().count() - 1;
    assert!(connections > 1 || (2_400..=3_000).contains(&rows), "{rows}");
    assert!(!place.path("out.csv").exists());
    let mode = place.sh("stat -c %a out.csv.part.json").done();
    assert_eq!(mode, "600\n");
    with_budget(5_000);
    let went_on = place.sh(&line);
    assert!(went_on.code == Some(0) && went_on.err.contains(&format!("going on behind {rows} rows")), "{went_on:?}");
    assert!(read(&place, "out.csv") == read(&place, "expected.csv"), "other bytes than in one run");
    assert!(leftovers(&place).is_empty());
}
