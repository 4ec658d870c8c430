//! A folder with a demonstration beside it, and people who type into a shell there.

use std::{
    fs,
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

use chancery_testkit::{Tool, temp_dir};
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{Demo, PROGRAM};

/// What looks like an API key, and is nobody's.
pub(crate) const NOBODYS_KEY: &str = "chk_0123456789012345678901234567890123456789012";

/// What a command answered.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// The answer of a command that did what it was told.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// What a command complained about that ended so.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        self.err
    }
}

pub(crate) struct Place {
    folder: TempDir,
    pub(crate) demo: Demo,
}

impl Place {
    /// With the passwords of the demonstration in the files one, two and three, and its authority in ca.pem.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// The same of a server with these arguments.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        let folder = temp_dir();
        let demo = Demo::start_made(folder.path(), arguments);
        Self::of(folder, demo)
    }

    /// The same of one that has just been made: nothing was done with it but its own look at itself.
    pub(crate) fn just_made(arguments: &[&str]) -> Self {
        let folder = temp_dir();
        let demo = Demo::start(folder.path(), arguments);
        Self::of(folder, demo)
    }

    fn of(folder: TempDir, demo: Demo) -> Self {
        let place = Self { folder, demo };
        std::os::unix::fs::symlink(place.path("data"), place.path("chancery-data")).unwrap();
        let people = [("one", "/admins/0/password"), ("two", "/admins/1/password"), ("three", "/approver/password")];
        for (file, password) in people {
            fs::write(place.path(file), format!("{}\n", place.demo.text(password))).unwrap();
        }
        fs::copy(place.demo.text("/caFile"), place.path("ca.pem")).unwrap();
        place
    }

    /// The same with both administrators logged in under `default`, and the approver under `approver`.
    pub(crate) fn logged_in() -> Self {
        Self::new().with_logins()
    }

    pub(crate) fn with_logins(self) -> Self {
        let place = self;
        let base = place.base();
        place
            .sh(&format!(
                "chancery login --server {base} --ca ca.pem Admin1 Admin2 --password-file one --password-file two"
            ))
            .done();
        place
            .sh(&format!(
                "chancery login --server {base} --ca ca.pem --server-profile approver Approver1 --password-file three"
            ))
            .done();
        place
    }

    pub(crate) fn base(&self) -> String {
        self.demo.text("/base").to_owned()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// A shell in the folder, in which nothing of the tests' own environment means anything to the program.
    pub(crate) fn shell(&self) -> Tool {
        let programs = Path::new(PROGRAM).parent().unwrap().display().to_string();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
        let shell =
            Tool::new("sh").folder(self.folder.path()).env("PATH", path).env("XDG_CONFIG_HOME", self.path("home"));
        // What is set to nothing counts as not set.
        [
            "CHANCERY_SERVER",
            "CHANCERY_SERVER_PROFILE",
            "CHANCERY_API_KEY",
            "CHANCERY_API_KEY_FILE",
            "CHANCERY_CA",
            "CHANCERY_OUTPUT",
        ]
        .iter()
        .fold(shell, |shell, name| shell.env(name, ""))
    }

    /// A line in that shell.
    pub(crate) fn sh(&self, line: &str) -> Said {
        let ran = self.shell().args(["-c", line]).try_run();
        Said { code: ran.status.code(), out: ran.text(), err: ran.stderr }
    }

    /// The `response` of a command's JSON.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        let text = self.sh(&format!("{line} --output json")).done();
        let body: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        body["response"].clone()
    }

    /// Waits until so many requests wait for approvals.
    #[track_caller]
    pub(crate) fn until_waiting(&self, count: usize) {
        for _ in 0..300 {
            if self.json("chancery request list --state Approval")["total"] == count {
                return;
            }
            sleep(Duration::from_millis(100));
        }
        panic!("{count} requests do not wait");
    }
}
