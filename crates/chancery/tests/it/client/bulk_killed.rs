//! `tokenize` and `detokenize` of columns of files, killed in the midst of it.

use std::{collections::HashSet, env, fs, thread, time::Instant};

use rand::RngExt as _;

use super::{
    bulk::{BACK, CARDS, card, leftovers, place, read, sql},
    place::Place,
};

/// Killed again and again, a run ends with the bytes of one that nobody disturbed.
#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let place = place();
    let cards: Vec<_> = (0..150_000).map(card).collect();
    place.write("cards.csv", format!("pan,x\n{}", cards.iter().map(|card| format!("{card},1\n")).collect::<String>()));
    let json = cards.iter().map(|card| format!("{{\"pan\":\"{card}\"}}\n")).collect::<String>();
    place.write("cards.jsonl", json);
    place.sh("gzip -k cards.csv").done();
    sql(
        &place,
        "COPY (SELECT * FROM read_csv('cards.csv', all_varchar = true)) TO 'cards.parquet' (ROW_GROUP_SIZE 2048)",
    );
    place.sh(&format!("{CARDS} --column pan cards.parquet -o tokens.parquet")).done();
    thread::scope(|scope| {
        for (command, input, output) in [
            (CARDS, "cards.csv", "a.csv"),
            (CARDS, "cards.jsonl", "b.jsonl"),
            (CARDS, "cards.csv.gz", "c.csv.gz"),
            (CARDS, "cards.jsonl", "d.jsonl.zst"),
            (CARDS, "cards.parquet", "e.parquet"),
            (BACK, "tokens.parquet", "f.parquet"),
        ] {
            let place = &place;
            scope.spawn(move || killed_to_the_same_bytes(place, command, input, output));
        }
        scope.spawn(|| killed_with_vectors(&place));
    });
    assert_eq!(leftovers(&place), Vec::<String>::new());
    // Another implementation reads the tokens of the Parquet file as those of the CSV file.
    let same = "SELECT count(*) FROM 'e.parquet' a POSITIONAL JOIN read_csv('a.csv', all_varchar = true) b WHERE a.pan = b.pan";
    assert_eq!(sql(&place, same), "150000\n");
    let back = "SELECT count(*) FROM 'f.parquet' a POSITIONAL JOIN 'cards.parquet' b WHERE a.pan = b.pan";
    assert_eq!(sql(&place, back), "150000\n");
}

/// The same of ten million rows, killed ten times at any moment.
#[test]
fn a_large_run_that_is_killed_ten_times_goes_on_to_the_same_bytes() {
    if env::var_os("CHANCERY_TEST_AT_LENGTH").is_none() {
        println!("SKIPPED: takes minutes, and is run where CHANCERY_TEST_AT_LENGTH is set");
        return;
    }
    let place = Place::logged_in();
    let cards = "SELECT '4' || lpad(((i * 6364136223846793005::HUGEINT) % 100000000000000)::VARCHAR, 14, '0') AS start FROM range(10000000) t(i)";
    let sum = "list_sum(list_transform(range(1, 16), lambda p: CASE WHEN p % 2 = 0 THEN substr(start, p, 1)::INT ELSE substr(start, p, 1)::INT * 2 // 10 + substr(start, p, 1)::INT * 2 % 10 END))";
    sql(
        &place,
        &format!("COPY (SELECT start || ((10 - {sum} % 10) % 10)::INT AS pan FROM ({cards})) TO 'cards.parquet'"),
    );
    sql(&place, "COPY (SELECT * FROM 'cards.parquet') TO 'cards.csv' (HEADER)");
    for (input, output) in [("cards.csv", "a.csv"), ("cards.parquet", "b.parquet")] {
        let command = format!("{CARDS} --column pan {input} -o");
        let begun = Instant::now();
        place.sh(&format!("{command} whole.{output}")).done();
        // Late enough for some kills to come after a journal, which is written each second.
        let longest = 1_500 + u64::try_from(begun.elapsed().as_millis()).unwrap() / 10;
        let same = || place.sh(&format!("cmp {output} whole.{output} && rm {output}")).done();
        let (mut kills, mut resumed) = (0, 0);
        while kills < 10 {
            let wait = rand::rng().random_range(200..longest);
            let said = place.sh(&format!("timeout -s KILL {}.{:03} {command} {output}", wait / 1_000, wait % 1_000));
            resumed += usize::from(said.err.contains("going on behind"));
            if place.path(output).exists() {
                // Over before it was killed, which counts for nothing but its bytes.
                assert_eq!(said.code, Some(0), "{said:?}");
                same();
            } else {
                assert_eq!(said.code, Some(137), "{said:?}");
                kills += 1;
            }
        }
        place.sh(&format!("{command} {output}")).done();
        same();
        assert!(resumed > 0, "{output}: no run went on behind another");
    }
}

fn killed_to_the_same_bytes(place: &Place, command: &str, input: &str, output: &str) {
    let command = format!("{command} --column pan --connections 2 --batch 300 {input} -o");
    place.sh(&format!("{command} whole.{output}")).done();
    killed(place, &format!("{command} {output}"), output);
    let bytes = |name: &str| fs::read(place.path(name)).unwrap();
    assert!(bytes(output) == bytes(&format!("whole.{output}")), "{output}: other bytes");
}

/// Tokens with initialization vectors differ from run to run: they come back, and no vector is used twice.
fn killed_with_vectors(place: &Place) {
    let columns = "--profile mail --column pan --connections 2 --batch 300";
    killed(place, &format!("chancery tokenize {columns} cards.csv -o iv.csv"), "iv.csv");
    place.sh(&format!("chancery detokenize {columns} iv.csv -o iv.back.csv")).done();
    assert!(read(place, "iv.back.csv") == read(place, "cards.csv"), "other values");
    let out = read(place, "iv.csv");
    let at = out.lines().next().unwrap().split(',').position(|name| name == "pan_iv").unwrap();
    let vectors: HashSet<_> = out.lines().skip(1).map(|line| line.split(',').nth(at).unwrap()).collect();
    assert!(vectors.len() == 150_000 && !vectors.contains(""), "{} vectors", vectors.len());
}

/// Kills a command again and again, each time when its journal tells of more, until its output is there.
fn killed(place: &Place, command: &str, output: &str) {
    let (journal, mut resumed) = (place.path(&format!("{output}.part.json")), 0);
    for _ in 0..10 {
        let wait = rand::rng().random_range(1..400);
        // The journal tells of rows after a second, if the run is not over before.
        let kill = format!(
            "{command} & P=$!; J={}; T=$(stat -c %Y.%i $J 2>/dev/null); while kill -0 $P 2>/dev/null && {{ [ \"$T\" = \"$(stat -c %Y.%i $J 2>/dev/null)\" ] || grep -q '\"line\":0,' $J; }}; do sleep 0.02; done; sleep 0.{wait:03}; kill -9 $P; wait $P",
            journal.display()
        );
        let said = place.sh(&kill);
        resumed += usize::from(said.err.contains("going on behind"));
        if place.path(output).exists() {
            break;
        }
        assert!(said.code == Some(137) && place.path(&format!("{output}.part")).exists(), "{said:?}");
    }
    if !place.path(output).exists() {
        place.sh(command).done();
        resumed += 1;
    }
    assert!(resumed > 0, "{output}: the run was over before its first journal");
}
