//! Host commands beside a running server.

use std::fs;

use chancery_testkit::{Tool, temp_dir};

use crate::process::{Demo, chancery};

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
}

#[test]
fn the_command_line_helps_and_names_itself() {
    let help = Tool::new(crate::process::PROGRAM).arg("--help").run().text();
    for command in ["serve", "init", "quickstart", "settings", "backup"] {
        assert!(help.contains(command), "{help}");
    }
    assert!(chancery(&["--version"]).run().text().starts_with("chancery "));
}

#[test]
fn commands_beside_the_server_list_their_own_flags() {
    for command in ["unlock", "settings", "backup"] {
        let help = chancery(&[command, "--help"]).run().text();
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
