//! `tokenize` and `detokenize` of columns of files.

use std::{fs, thread, time::Duration};

use chancery_testkit::Tool;

use super::place::Place;
use crate::process::Server;

/// A number of 16 digits that passes Luhn.
pub(super) fn card(number: u64) -> String {
    let start = format!("4{:014}", number.wrapping_mul(6_364_136_223_846_793_005) % 100_000_000_000_000);
    let doubled = |(place, digit): (usize, char)| {
        let digit = digit.to_digit(10).unwrap();
        if place % 2 == 1 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
    };
    let sum: u32 = start.chars().enumerate().map(doubled).sum();
    format!("{start}{}", (10 - sum % 10) % 10)
}

/// With a profile `mail` besides, whose tokens have initialization vectors.
pub(super) fn place() -> Place {
    let place = Place::logged_in();
    place.sh("chancery key create --name mail --type 'AES-256 Tokenization'").done();
    place.sh("chancery profile create --name mail --algorithm AesGcm --use-iv true --key mail").done();
    for operation in ["Tokenize", "Detokenize", "Batch"] {
        place.sh(&format!("chancery rule create mail --role Administrator --operation {operation}")).done();
    }
    place
}

pub(super) fn read(place: &Place, name: &str) -> String {
    fs::read_to_string(place.path(name)).unwrap()
}

/// What is left of a run besides what it was told to write.
pub(super) fn leftovers(place: &Place) -> Vec<String> {
    let names = fs::read_dir(place.folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".part")).collect()
}

pub(super) const CARDS: &str = "chancery tokenize --profile 'demo cards'";
pub(super) const BACK: &str = "chancery detokenize --profile 'demo cards'";

#[test]
fn columns_of_files_are_tokenized_and_come_back() {
    let place = place();
    let csv = "\u{feff}name,pan,note\r\n\"a,b\",4111111111111111,\"two\r\nlines\"\r\nempty,,\r\nquoted,\"5555555555554444\",x\r\n";
    place.write("in.csv", csv);
    assert_eq!(place.sh(&format!("{CARDS} --column pan in.csv -o out.csv")).done(), "3 rows written to out.csv\n");
    let out = read(&place, "out.csv");
    let token = |value: &str| place.sh(&format!("{CARDS} {value}")).done().trim().to_owned();
    let (one, two) = (token("4111111111111111"), token("5555555555554444"));
    assert_eq!(out, csv.replace("4111111111111111", &one).replace("5555555555554444", &two));
    place.sh(&format!("{BACK} --column pan out.csv -o back.csv")).done();
    assert_eq!(read(&place, "back.csv"), csv);

    // Several columns, with a profile each; a vector for every token, in a column of its own.
    let two_columns = "pan;mail\n4111111111111111;a@example.org\n;\"b;c@example.org\"\n4012888888881881;\n";
    place.write("two.csv", two_columns);
    let columns = "--delimiter ';' --column mail=mail --column pan";
    place.sh(&format!("{CARDS} {columns} two.csv -o two.out.csv")).done();
    let out = read(&place, "two.out.csv");
    let rows: Vec<Vec<_>> = out.lines().map(|line| line.split(';').collect()).collect();
    assert_eq!(rows[0], ["pan", "mail", "mail_iv"]);
    assert!(rows[1][0] == one && rows[1][2].len() >= 16 && rows[1][2] != rows[2][2], "{out}");
    assert_eq!((rows[2][0], rows[3][1], rows[3][2]), ("", "", ""));
    place.sh(&format!("{BACK} {columns} two.out.csv -o two.csv.back --format csv")).done();
    assert_eq!(read(&place, "two.csv.back").replace('"', ""), two_columns.replace('"', ""));

    json_lines_and_fixed_width(&place, &one);
    streams(&place, &one);
    assert_eq!(leftovers(&place), Vec::<String>::new());
}

fn json_lines_and_fixed_width(place: &Place, token: &str) {
    let json = "{\"id\": 1, \"card\": {\"pan\":\"4111111111111111\"}, \"mail\": \"a\\u0040\\\"b\\\"\"}\n\n{\"card\":{\"pan\":null},\"mail\":\"\"}\n";
    place.write("in.jsonl", json);
    place.sh(&format!("{CARDS} --column card.pan --column mail=mail in.jsonl -o out.jsonl.zst")).done();
    place.sh(&format!("{BACK} --column card.pan --column mail=mail out.jsonl.zst -o back.jsonl")).done();
    assert_eq!(read(place, "back.jsonl"), json.replace("\\u0040", "@"));
    place.sh(&format!("{CARDS} --column card.pan in.jsonl -o out.jsonl")).done();
    assert_eq!(read(place, "out.jsonl"), json.replace("4111111111111111", token));

    let fixed = "0001 4111111111111111    x\n0002                     y\n";
    place.write("in.txt", fixed);
    place.sh(&format!("{CARDS} --fixed-width 6:20 in.txt -o out.txt")).done();
    assert_eq!(read(place, "out.txt"), fixed.replace("4111111111111111", token));
    let no_room = place.sh("chancery tokenize --fixed-width 6:20=mail in.txt -o no.txt").failed(2);
    assert!(no_room.contains("no room"), "{no_room}");
}

fn streams(place: &Place, token: &str) {
    let line = format!("printf '4111111111111111,x\\n' | {CARDS} --no-header --column 1 -");
    let said = place.sh(&line);
    assert_eq!(said.out, format!("{token},x\n"));
    assert!(said.err.contains("begin anew"), "{said:?}");
    let refused = place.sh(&format!("printf 'pan\\n1234\\n' | {CARDS} --column pan -")).failed(5);
    assert!(refused.contains("line 2, pan") && refused.contains("--rejects"), "{refused}");
    // What others have compressed, and what others can read.
    let other = format!(
        "gzip -c in.csv | {CARDS} --column pan - | cmp - out.csv && {CARDS} --column pan in.csv -o out.csv.gz && gzip -dc out.csv.gz | cmp - out.csv"
    );
    place.sh(&other).done();
}

#[test]
fn refused_rows_go_to_a_file_with_their_reason() {
    let place = Place::logged_in();
    let mut csv = "pan,n\n".to_owned();
    for number in 0..1_000_u64 {
        let value = if number % 4 == 3 { "4111111111111112".to_owned() } else { card(number) };
        csv += &format!("{value},{number}\n");
    }
    csv += "\"5555555555554444\"x,damaged\n\"";
    place.write("in.csv", &csv);
    let said = place.sh(&format!("{CARDS} --column pan in.csv -o out.csv --connections 2 --batch 300"));
    assert_eq!(said.code, Some(9), "{said:?}");
    assert!(said.out == "750 rows written to out.csv\n" && said.err.contains("252 rows were refused"), "{said:?}");
    let rejects = read(&place, "out.csv.rejects");
    let lines: Vec<_> = rejects.lines().collect();
    assert_eq!((lines.len(), lines[0]), (253, "line,column,reason,pan,n"));
    // Each says why, also those beyond what one answer tells of.
    assert!(lines[1].starts_with("5,pan,") && lines[1].ends_with(",4111111111111112,3"), "{}", lines[1]);
    assert!(lines[1..251].iter().all(|line| line.contains("check digit") || line.contains("Luhn")), "{}", lines[250]);
    assert!(lines[251].starts_with("1002,pan,") && lines[251].ends_with("\"5555555555554444\"x,damaged"), "{rejects}");
    assert!(lines[252].starts_with("1003,pan,A quote is not closed."), "{rejects}");
    assert_eq!(read(&place, "out.csv").lines().count(), 751);

    place.write(
        "in.jsonl",
        "{\"pan\":4111111111111111}\n{\"pan\":\"4111111111111111\"\n{\"Pan\":\"4111111111111111\"}\n",
    );
    assert_eq!(place.sh(&format!("{CARDS} --column pan in.jsonl -o out.jsonl")).code, Some(9));
    let rejects = read(&place, "out.jsonl.rejects");
    assert_eq!(
        rejects.lines().next(),
        Some("{\"line\":1,\"column\":\"pan\",\"reason\":\"A string is expected.\",\"row\":{\"pan\":4111111111111111}}")
    );
    assert!(rejects.lines().count() == 3 && rejects.contains("no JSON object") && rejects.contains("no such member"));
    assert_eq!((read(&place, "out.jsonl"), leftovers(&place).len()), (String::new(), 0));
}

#[test]
fn what_goes_wrong_with_a_file_is_said_and_leaves_no_half_output() {
    let place = Place::logged_in();
    place.write("in.csv", "pan,n\n4111111111111111,1\n");
    for (line, code, says) in [
        ("--column Pan in.csv -o out.csv", 2, "the columns are pan, n"),
        ("--column pan in.csv -o in.csv", 2, "the input would be replaced"),
        ("--column pan in.dat -o out.csv", 2, "--format csv"),
        ("--column pan gone.csv -o out.csv", 1, "gone.csv"),
        ("--column pan in.csv -o nowhere/out.csv", 2, "nowhere/out.csv: there is no such folder"),
        ("--column pan=Nobody in.csv -o out.csv", 2, "no such token profile"),
        ("--column pan", 2, "one file is expected"),
        ("--column pan in.csv --connections 99 -o out.csv", 2, "connections"),
        ("--column pan --key-version 9 in.csv -o out.csv", 5, "ersion"),
        ("--no-header --column pan in.csv -o out.csv", 2, "1, 2, 3"),
        ("--fixed-width 0:5 in.csv -o out.txt", 2, "START:LENGTH"),
        ("--column pan -o out.csv in.csv --server-profile approver", 5, "column pan"),
    ] {
        let said = place.sh(&format!("{CARDS} {line}")).failed(code);
        assert!(said.contains(says), "{line}: {said}");
        assert!(!place.path("out.csv").exists(), "{line}");
    }
    place.write("open.csv", format!("pan\n\"{}", "4111111111111111\n".repeat(300_000)));
    let open = place.sh(&format!("{CARDS} --column pan open.csv -o out.csv")).failed(1);
    assert!(open.contains("open.csv, line 2") && open.contains("Is a quote not closed"), "{open}");

    full_disk(&place);
    // Nobody is logged in any more, and nobody is there any more.
    place.sh("chancery logout").done();
    place.sh(&format!("{CARDS} --column pan in.csv -o out.csv")).failed(3);
    place.sh("chancery login Admin1 Admin2 --password-file one --password-file two").done();
    place.demo.server.signal("-KILL");
    thread::sleep(Duration::from_millis(300));
    let said = place.sh(&format!("{CARDS} --column pan in.csv -o out.csv --patience 2s")).failed(4);
    assert!(said.contains("trying again"), "{said}");
    assert!(!place.path("out.csv").exists());
}

/// A file that may not grow any more is written up to there, and on from there when it may.
fn full_disk(place: &Place) {
    let csv: String = "pan\n".to_owned() + &(0..200_000).map(card).collect::<Vec<_>>().join("\n");
    place.write("big.csv", &csv);
    let command = format!("{CARDS} --column pan big.csv -o big.out.csv");
    // In blocks of 1024 bytes, of bash.
    let full = place.sh(&format!("bash -c \"ulimit -f 2000; {command}\"")).failed(1);
    assert!(full.contains("big.out.csv.part") && full.contains("goes on where"), "{full}");
    assert!(!place.path("big.out.csv").exists());
    let other = place.sh(&format!("{command} --delimiter ';'")).failed(2);
    assert!(other.contains("--restart") && other.contains("other options"), "{other}");
    let said = place.sh(&command);
    assert!(said.code == Some(0) && said.err.contains("going on behind"), "{said:?}");
    place.sh(&format!("{CARDS} --column pan big.csv -o big.again.csv")).done();
    assert_eq!(read(place, "big.out.csv"), read(place, "big.again.csv"));
    place.sh(&format!("{BACK} --column pan big.out.csv -o big.back.csv")).done();
    assert_eq!(read(place, "big.back.csv"), csv);

    // A row group that could not be written is done again, and is there once.
    sql(place, "COPY (SELECT * FROM read_csv('big.csv', all_varchar = true)) TO 'big.parquet'");
    let command = format!("{CARDS} --column pan big.parquet -o big.out.parquet");
    let full = place.sh(&format!("bash -c \"ulimit -f 2000; {command}\"")).failed(1);
    assert!(full.contains("goes on where"), "{full}");
    let said = place.sh(&command);
    assert!(said.code == Some(0) && said.err.contains("going on behind"), "{said:?}");
    assert_eq!(sql(place, "SELECT count(*), count(DISTINCT pan) FROM 'big.out.parquet'"), "200000|200000\n");
    place.sh(&format!("{BACK} --column pan big.out.parquet -o big.back.parquet")).done();
    assert_eq!(sql(place, "SELECT count(*) FROM 'big.back.parquet' b ANTI JOIN 'big.parquet' USING (pan)"), "0\n");
}

/// What DuckDB answers in the folder.
pub(super) fn sql(place: &Place, statement: &str) -> String {
    let script = "import duckdb, sys\nfor row in duckdb.execute(sys.argv[1]).fetchall(): print(*row, sep='|')";
    Tool::new("python3").folder(place.folder()).args(["-c", script, statement]).run().text()
}

#[test]
fn columns_of_parquet_are_tokenized_and_come_back() {
    let place = place();
    for codec in ["snappy", "zstd", "gzip", "lz4_raw"] {
        let rows = "SELECT CASE WHEN i % 7 = 0 THEN NULL WHEN i % 5 = 0 THEN '' ELSE '4111111111111111' END AS pan, i, [i, NULL] AS list, {'a': 'é' || i} AS struct, 'm' || i || '@example.org' AS mail FROM range(5000) t(i)";
        sql(&place, &format!("COPY ({rows}) TO 'in.parquet' (ROW_GROUP_SIZE 2048, COMPRESSION {codec})"));
        let columns = "--column pan --column mail=mail";
        let said = place.sh(&format!("{CARDS} {columns} in.parquet -o out.parquet")).done();
        assert_eq!(said, "5000 rows written to out.parquet\n");
        let token = place.sh(&format!("{CARDS} 4111111111111111")).done();
        let tokens = sql(&place, "SELECT DISTINCT pan FROM 'out.parquet' WHERE pan <> ''");
        assert_eq!(tokens, token);
        let ivs =
            "SELECT count(DISTINCT mail_iv), count(DISTINCT mail), sum(i) FROM 'out.parquet' WHERE mail NOT LIKE '%@%'";
        assert_eq!(sql(&place, ivs), "5000|5000|12497500\n");
        place.sh(&format!("{BACK} {columns} out.parquet -o back.parquet")).done();
        let differ = "SELECT (SELECT count(*) FROM (SELECT * FROM 'in.parquet' EXCEPT ALL SELECT * FROM 'back.parquet')), (SELECT count(*) FROM 'back.parquet')";
        assert_eq!(sql(&place, differ), "0|5000\n", "{codec}");
        let codecs = |file: &str, made: &str| {
            let made = format!("path_in_schema {made} ('pan', 'mail', 'mail_iv')");
            let text = format!("SELECT DISTINCT lower(compression) FROM parquet_metadata('{file}') WHERE {made}");
            sql(&place, &text).trim().to_owned()
        };
        assert_eq!(codecs("out.parquet", "NOT IN"), codec);
        assert_eq!(codecs("back.parquet", "NOT IN"), codec);
        // Tokens look like chance.
        assert_eq!(codecs("out.parquet", "IN"), if codec == "snappy" { "uncompressed" } else { codec });
    }
    sql(&place, "COPY (SELECT '4111111111111111' AS pan, 1 AS n UNION ALL SELECT '12', 2) TO 'bad.parquet'");
    assert_eq!(place.sh(&format!("{CARDS} --column pan bad.parquet -o bad.out.parquet")).code, Some(9));
    let rejects = read(&place, "bad.out.parquet.rejects");
    assert!(rejects.contains("\"line\":2") && rejects.contains("\"row\":{\"n\":2,\"pan\":\"12\"}"), "{rejects}");
    assert_eq!(sql(&place, "SELECT n FROM 'bad.out.parquet'"), "1\n");
    let numbers = place.sh(&format!("{CARDS} --column n bad.parquet -o n.parquet")).failed(2);
    assert!(numbers.contains("texts are expected"), "{numbers}");
    place.write("no.parquet", "PAR1, it says");
    let damaged = place.sh(&format!("{CARDS} --column pan no.parquet -o n.parquet")).failed(1);
    assert!(damaged.contains("no.parquet"), "{damaged}");
    let streamed = place.sh(&format!("{CARDS} --column pan --format parquet - < bad.parquet")).failed(2);
    assert!(streamed.contains("standard input"), "{streamed}");
}

/// More than a call may have, and in the file there is hardly anything of it.
#[test]
fn many_long_values_go_in_as_many_calls_as_they_need() {
    let place = place();
    sql(&place, "COPY (SELECT repeat('a', 60000) AS mail, i FROM range(1200) t(i)) TO 'in.parquet'");
    let said = place.sh(&format!("{CARDS} --column mail=mail in.parquet -o out.parquet")).done();
    assert_eq!(said, "1200 rows written to out.parquet\n");
    place.sh(&format!("{BACK} --column mail=mail out.parquet -o back.parquet")).done();
    let same = "SELECT count(*), sum(i) FROM 'back.parquet' WHERE mail = repeat('a', 60000)";
    assert_eq!(sql(&place, same), "1200|719400\n");
}

/// What a column is stays, as far as it still is: a token of JSON is a text. A codec that is not read is named at once.
#[test]
fn columns_of_parquet_stay_what_they_are() {
    let place = Place::logged_in();
    let rows = "SELECT '4111111111111111' AS pan, uuid() AS id, '{\"a\": 1}'::JSON AS about, 1.50::DECIMAL(9,2) AS cents, TIMESTAMPTZ '2026-01-02 03:04:05Z' AS made, 'a'::ENUM('a') AS kind";
    sql(&place, &format!("COPY ({rows}) TO 'in.parquet'"));
    place.sh(&format!("{CARDS} --column pan in.parquet -o out.parquet")).done();
    let types = |file: &str| {
        let logical = "SELECT name, type, logical_type, converted_type FROM parquet_schema";
        sql(&place, &format!("{logical}('{file}') WHERE name IN ('id', 'about', 'cents', 'made')"))
    };
    assert_eq!(types("out.parquet"), types("in.parquet"));
    assert!(types("out.parquet").contains("UUID") && types("out.parquet").contains("Json"), "{}", types("out.parquet"));
    let differ = "SELECT count(*) FROM (SELECT id, about, cents, made, kind FROM 'in.parquet' EXCEPT ALL SELECT id, about, cents, made, kind FROM 'out.parquet')";
    assert_eq!(sql(&place, differ), "0\n");
    sql(&place, "COPY (SELECT '4111111111111111'::JSON AS about) TO 'json.parquet'");
    place.sh(&format!("{CARDS} --column about json.parquet -o text.parquet")).done();
    assert!(!types("text.parquet").contains("Json"), "{}", types("text.parquet"));

    sql(&place, &format!("COPY ({rows}) TO 'brotli.parquet' (COMPRESSION brotli)"));
    let refused = place.sh(&format!("{CARDS} --column pan brotli.parquet -o b.parquet")).failed(2);
    assert!(refused.contains("Brotli") && refused.contains("Zstandard"), "{refused}");
    assert!(leftovers(&place).is_empty());
}

/// The server is gone for a while: the run waits, says so, and goes on.
#[test]
fn a_server_that_comes_back_is_gone_on_with() {
    let place = Place::logged_in();
    let cards: Vec<_> = (0..200_000).map(card).collect();
    place.write("in.csv", format!("pan\n{}\n", cards.join("\n")));
    let address = place.demo.address();
    thread::scope(|scope| {
        let run =
            scope.spawn(|| place.sh(&format!("{CARDS} --column pan --batch 200 --patience 2m in.csv -o out.csv")));
        let begun = || fs::metadata(place.path("out.csv.part")).is_ok_and(|part| part.len() > 100);
        while !begun() && !run.is_finished() {
            thread::sleep(Duration::from_millis(5));
        }
        place.demo.server.kill();
        thread::sleep(Duration::from_millis(500));
        let data = place.path("data").display().to_string();
        let server = Server::spawn(place.folder(), &["quickstart", "--data", &data, "--listen", &address]);
        let said = run.join().unwrap();
        assert!(said.code == Some(0) && said.err.contains("going on in"), "{said:?}: {}", server.log());
    });
    assert_eq!(read(&place, "out.csv").lines().count(), 200_001);
}

/// A server with next to no room for heavy work puts calls off: the run comes back when it is told to, and ends right.
#[test]
fn a_server_that_puts_calls_off_is_gone_on_with() {
    let place = Place::with(&["--limit", "pool-queue-max=2"]).with_logins();
    let cards: Vec<_> = (0..60_000).map(card).collect();
    place.write("in.csv", format!("pan\n{}\n", cards.join("\n")));
    place.sh(&format!("{CARDS} --column pan --connections 8 --batch 5000 in.csv -o out.csv")).done();
    let counts = place.demo.client().metrics().unwrap();
    let is_put_off = |line: &str| line.contains("/batch-tokenize\",status=\"429\"");
    assert!(counts.lines().any(is_put_off), "no call was put off: {counts}");
    // Batches that are no heavy work are not put off.
    place.sh(&format!("{CARDS} --column pan --connections 1 --batch 200 in.csv -o one.csv")).done();
    assert!(read(&place, "out.csv") == read(&place, "one.csv"), "other rows, or in another order");
}
