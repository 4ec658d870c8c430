//! Host commands beside a running server.

use std::fs;

use chancery_testkit::{Tool, temp_dir};

use crate::{
    process::{Demo, chancery},
    serve::Place,
};

#[test]
fn a_backup_of_a_running_installation_serves_with_the_same_root_key() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let profile = demo.text("/demo/tokenProfileUuid").parse().unwrap();
    let token = demo.client().tokenize(profile, "4111111111111111").unwrap();
    let data = folder.path().join("data");
    let copy = folder.path().join("copy.db");
    let root_key = data.join("root.key");
    let backup =
        |to: &std::path::Path| chancery(&["backup"]).arg(to).arg("--data").arg(&data).arg("--root-key").arg(&root_key);
    let _made = backup(&copy).run();
    let authority = fs::read(data.join("tls/ca.pem")).unwrap();
    let again = backup(&copy).try_run();
    assert!(!again.status.success() && again.stderr.contains("exists already"), "{}", again.stderr);
    drop(demo);

    let restored = temp_dir();
    fs::create_dir(restored.path().join("data")).unwrap();
    for (from, to) in
        [(&copy, "chancery.db"), (&root_key, "root.key"), (&data.join("quickstart.json"), "quickstart.json")]
    {
        fs::copy(from, restored.path().join("data").join(to)).unwrap();
    }
    let demo = Demo::start(restored.path(), &[]);
    assert_eq!(demo.client().detokenize(profile, token).unwrap().message, "4111111111111111");
    let restored = fs::read(restored.path().join("data/tls/ca.pem")).unwrap();
    assert_eq!(restored, authority, "its clients trust it as before");
}

#[test]
fn the_command_line_helps_and_names_itself() {
    let help = Tool::new(crate::process::PROGRAM).arg("--help").run().text();
    for command in ["serve", "init", "quickstart", "settings", "backup"] {
        assert!(help.contains(command), "{help}");
    }
    assert!(chancery(&["--version"]).run().text().starts_with("chancery "));
}

/// A page that ends where the disk was full would pass for a whole one.
#[test]
fn manual_pages_have_their_names_when_they_are_whole() {
    let folder = temp_dir();
    let line = format!("ulimit -f 1; {} man pages", crate::process::PROGRAM);
    let full = Tool::new("bash").folder(folder.path()).args(["-c", &line]).try_run();
    assert!(full.status.code() == Some(1) && full.stderr.contains("File too large"), "{}", full.stderr);
    assert_eq!(fs::read_dir(folder.path().join("pages")).unwrap().count(), 0);
    let _made = chancery(&["man"]).arg(folder.path().join("pages")).run();
    assert!(fs::read_to_string(folder.path().join("pages/chancery.1")).unwrap().contains(".TH"));
}

#[test]
fn commands_beside_the_server_list_their_own_flags() {
    for command in
        [&["unlock"][..], &["recover"], &["settings"], &["backup"], &["rows", "list"], &["rows", "authenticate"]]
    {
        let help = chancery(command).arg("--help").run().text();
        assert!(help.contains("--root-key") && !help.contains("--listen") && !help.contains("--limit"), "{help}");
    }
}

#[test]
fn a_damaged_database_is_told_without_a_request_that_there_was_not() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    assert!(demo.server.stop().success());
    let data = folder.path().join("data");
    let database = data.join("chancery.db");
    let mut bytes = fs::read(&database).unwrap();
    let length = bytes.len();
    bytes[4096..length / 2].fill(0xA5);
    fs::write(&database, bytes).unwrap();
    let refused = chancery(&["settings", "--data", data.to_str().unwrap()])
        .arg("--root-key")
        .arg(data.join("root.key"))
        .try_run();
    assert!(!refused.status.success());
    assert!(refused.stderr.contains("malformed"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("request"), "{}", refused.stderr);
}

/// A script tells what it asked for in a wrong way from what it was answered: `rows list` says with 1 that there are some.
#[test]
fn host_commands_that_cannot_look_are_a_wrong_use() {
    let place = Place::new();
    let _made = place.init().run();
    let (data, nowhere) = (place.path("data"), place.path("nowhere"));
    let bare =
        ["rows list", "rows authenticate", "recover Admin2 --by Admin1", "settings", "backup copy.db", "unlock Admin1"];
    for command in bare {
        let words = || command.split(' ').collect::<Vec<_>>();
        let no_key = chancery(&words()).args(["--data", &data]).try_run();
        assert_eq!(no_key.status.code(), Some(2), "{command}: {}", no_key.stderr);
        assert!(no_key.stderr.contains("--root-key FILE is needed"), "{command}: {}", no_key.stderr);
        let elsewhere = chancery(&words()).args(["--data", &nowhere, "--root-key", &place.path("root.key")]).try_run();
        assert_eq!(elsewhere.status.code(), Some(2), "{command}: {}", elsewhere.stderr);
        assert!(elsewhere.stderr.contains("there is no installation in"), "{command}: {}", elsewhere.stderr);
    }
    fs::write(place.path("other.key"), [7; 32]).unwrap();
    for command in bare {
        let words = command.split(' ').collect::<Vec<_>>();
        let other = chancery(&words).args(["--data", &data, "--root-key", &place.path("other.key")]).try_run();
        assert_eq!((other.status.code(), other.text().as_str()), (Some(2), ""), "{command}: {}", other.stderr);
    }
    let nobody = place.run(&["unlock", "Nobody"]).try_run();
    assert_eq!(nobody.status.code(), Some(2), "{}", nobody.stderr);
    assert!(nobody.stderr.contains("Nobody: "), "{}", nobody.stderr);
    let limit =
        chancery(&["init", "--data", &nowhere, "--root-key", &place.path("new.key"), "--limit", "nothing=1"]).try_run();
    assert_eq!(limit.status.code(), Some(2), "{}", limit.stderr);
}

/// Somebody renames an identity in the database, for a good reason or not.
#[test]
fn rows_that_were_changed_by_hand_count_again_when_the_host_says_so() {
    let place = Place::new();
    let _made = place.init().run();
    let (server, base) = place.serve(&[]);
    let database = format!("{}/chancery.db", place.path("data"));
    let sql = |text: &str| Tool::new("sqlite3").args(["-cmd", ".timeout 5000", &database, text]).run().text();
    let authority = fs::read(format!("{}/tls/ca.pem", place.path("data"))).unwrap();
    let log_in = |name: &str| {
        let client = chancery_client::Client::new(&base, &authority).unwrap();
        client.log_in(name, "second password").map(drop).map_err(|refused| refused.to_string())
    };
    assert_eq!(place.run(&["rows", "list"]).run().text(), "");
    assert_eq!(place.run(&["rows", "authenticate"]).run().text(), "");

    sql("UPDATE identities SET name = 'Re\u{202e}named', name_key = 'renamed' WHERE name = 'Admin2'");
    assert!(log_in("renamed").unwrap_err().contains("503"));
    let listed = place.run(&["rows", "list"]).try_run();
    assert_eq!(listed.status.code(), Some(1), "{}", listed.stderr);
    let row: serde_json::Value = serde_json::from_str(&listed.text()).unwrap();
    assert_eq!((&row["columns"]["name_key"], &row["columns"]["password"]), (&"renamed".into(), &"(not shown)".into()));
    assert!(listed.text().contains("Re\\u202enamed"), "{}", listed.text());
    let name = row["row"].as_str().unwrap().to_owned();
    assert!(name.starts_with("identities/"), "{name}");

    let other = place.run(&["rows", "authenticate", "identities/another", "--yes"]).try_run();
    assert!(!other.status.success() && other.stderr.contains("is no row that is refused"), "{}", other.stderr);
    let asked = place.run(&["rows", "authenticate"]).try_run();
    assert_eq!((asked.status.code(), asked.text()), (Some(1), listed.text()), "{}", asked.stderr);
    assert!(log_in("renamed").unwrap_err().contains("503"), "nothing was changed");

    let _taken = place.run(&["rows", "authenticate", &name, "--yes"]).run();
    let begun = std::time::Instant::now();
    while let Err(refused) = log_in("renamed") {
        assert!(begun.elapsed().as_secs() < 20, "{refused}");
    }
    assert_eq!(place.run(&["rows", "list"]).run().text(), "");
    let told = sql("SELECT detail FROM audit WHERE action = 'RowsAuthenticate'");
    assert!(told.contains(&name) && told.contains("\"identities\":1"), "{told}");
    assert!(server.stop().success());
}
