//! Bulk as a library call, and what may happen to its login and its calls on the way.

use std::{
    fs,
    io::Write as _,
    sync::atomic::{AtomicBool, Ordering},
};

use chancery_bulk::{BulkError, Column, Job, Progress, Summary, Watch, Way, run};
use chancery_client::Client;
use chancery_types::{
    TokenProfileId,
    wire::{Empty, token_profiles::PatchTokenProfile},
};

use super::{bulk::card, place::Place};

/// The example that people read, run here.
#[path = "../../../../chancery-bulk/examples/file.rs"]
#[expect(dead_code, reason = "its main reads arguments")]
mod example;

/// More than are on their way while the first are written.
const ROWS: u64 = 200_000;

/// A demonstration with an application that may tokenize, and a file of card numbers.
struct Setting {
    place: Place,
    api_key: String,
}

impl Setting {
    fn new() -> Self {
        let place = Place::logged_in();
        // What it may do with tokens says the profile's rules.
        let role = r#"{"name": "Loaders", "loginsRequired": 1, "perms": []}"#;
        place.sh(&format!("echo '{role}' | chancery role create --file -")).done();
        for operation in ["Tokenize", "Detokenize", "Batch"] {
            place.sh(&format!("chancery rule create 'demo cards' --role Loaders --operation {operation}")).done();
        }
        let made = place.json("chancery identity create --name loader --kind Application --role Loaders");
        let cards: String = (0..ROWS).map(|number| card(number) + "\n").collect();
        place.write("in.csv", format!("pan\n{cards}"));
        Self { api_key: made["apiKey"].as_str().unwrap().to_owned(), place }
    }

    /// A client of the server in which nobody is logged in yet.
    fn client(&self) -> Client {
        Client::new(&self.place.base(), &fs::read(self.place.path("ca.pem")).unwrap()).unwrap()
    }

    fn job(&self, way: Way, input: &str, output: &str) -> Job {
        let profile: TokenProfileId = self.place.demo.text("/demo/tokenProfileUuid").parse().unwrap();
        let column = Column::new("pan", profile);
        let job = Job::of_files(way, vec![column], self.place.path(input), self.place.path(output)).unwrap();
        Job { connections: 2, batch: 2_000, ..job }
    }

    /// The tokens as one call after the other makes them.
    fn undisturbed(&self) -> Vec<u8> {
        let client = self.client();
        client.log_in_by_key(&self.api_key).unwrap();
        let job = Job { connections: 1, ..self.job(Way::Tokenize, "in.csv", "undisturbed.csv") };
        assert_eq!(run(&client, &job, &chancery_bulk::Quiet).unwrap(), Summary { rows: ROWS, bad: 0, rows_before: 0 });
        self.read("undisturbed.csv")
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.place.path(name)).unwrap()
    }
}

/// Does something when the first rows are written.
struct Meanwhile<F> {
    act: F,
    is_over: AtomicBool,
}

impl<F: Fn() + Sync> Watch for Meanwhile<F> {
    fn progress(&self, _progress: &Progress) {
        if !self.is_over.swap(true, Ordering::Relaxed) {
            (self.act)();
        }
    }
}

fn meanwhile<F: Fn() + Sync>(act: F) -> Meanwhile<F> {
    Meanwhile { act, is_over: AtomicBool::new(false) }
}

#[test]
fn the_example_tokenizes_a_file() {
    let setting = Setting::new();
    let (input, output) = (setting.place.path("in.csv"), setting.place.path("out.csv"));
    let column = ("pan", setting.place.demo.text("/demo/tokenProfileUuid"));
    let files = (input.to_str().unwrap(), output.to_str().unwrap());
    let summary = example::tokenize(&setting.client(), &setting.api_key, column, files).unwrap();
    assert_eq!(summary, Summary { rows: ROWS, bad: 0, rows_before: 0 });
    assert!(setting.read("out.csv") == setting.undisturbed());
    let unknown = example::tokenize(&setting.client(), &setting.api_key, ("card", column.1), files).unwrap_err();
    assert!(unknown.to_string().contains("the only column is pan"), "{unknown}");
}

/// Ends a session on the server, as its time does otherwise.
fn ends(setting: &Setting, client: &Client) -> impl Fn() + Sync {
    let session = client.session();
    move || setting.client().in_session(session.clone()).log_out().unwrap()
}

#[test]
fn a_login_that_ends_is_made_again_by_its_key_or_is_said_to_have_ended() {
    let setting = Setting::new();
    let tokens = setting.undisturbed();

    let staying = setting.client();
    staying.stay_logged_in_by_key(&setting.api_key).unwrap();
    staying.take_token().unwrap();
    let first = staying.session();
    let job = setting.job(Way::Tokenize, "in.csv", "out.csv");
    let done = run(&staying, &job, &meanwhile(ends(&setting, &staying))).unwrap();
    assert_eq!((done, setting.read("out.csv") == tokens), (Summary { rows: ROWS, bad: 0, rows_before: 0 }, true));
    assert!(staying.session() != first, "the login has not ended on the way");

    let leaving = setting.client();
    leaving.log_in_by_key(&setting.api_key).unwrap();
    leaving.take_token().unwrap();
    let job = setting.job(Way::Tokenize, "in.csv", "again.csv");
    let ended = run(&leaving, &job, &meanwhile(ends(&setting, &leaving))).unwrap_err();
    let BulkError::Call { column, source } = ended else { panic!("{ended:?}") };
    assert!(column == "pan" && source.wants_login(), "{source}");
    assert!(!setting.place.path("again.csv").exists());
    leaving.log_in_by_key(&setting.api_key).unwrap();
    leaving.take_token().unwrap();
    let done = run(&leaving, &job, &chancery_bulk::Quiet).unwrap();
    assert!(done.rows == ROWS && (1..ROWS).contains(&done.rows_before), "{done:?}");
    assert!(setting.read("again.csv") == tokens);

    let back = setting.job(Way::Detokenize, "again.csv", "back.csv");
    run(&leaving, &back, &chancery_bulk::Quiet).unwrap();
    assert!(setting.read("back.csv") == setting.read("in.csv"));
}

/// Neither whoever may read the profile nor whoever may not gets tokens of two versions in one file, nor values among the
/// rejects because of it.
#[test]
fn a_key_that_is_rotated_meanwhile_ends_the_run() {
    let setting = Setting::new();
    let (people, application) = (setting.place.demo.client(), setting.client());
    application.log_in_by_key(&setting.api_key).unwrap();
    let job = setting.job(Way::Tokenize, "in.csv", "out.csv");
    let id = job.columns[0].profile;
    let rotate = || {
        let profile = people.token_profile(id).unwrap();
        let version = people.rotate_key(profile.key_uuid, &Empty {}).unwrap().current_version;
        let change = PatchTokenProfile { key_version: Some(version), ..PatchTokenProfile::default() };
        people.change_token_profile(id, &change).unwrap();
    };
    for (client, output) in [(&application, "application.csv"), (&application, "again.csv"), (&people, "people.csv")] {
        let job = Job { restarts: true, ..setting.job(Way::Tokenize, "in.csv", output) };
        let ended = run(client, &job, &meanwhile(rotate)).unwrap_err();
        assert!(matches!(&ended, BulkError::KeyVersion { column } if column == "pan"), "{output}: {ended:?}");
        for file in [output.to_owned(), format!("{output}.rejects")] {
            assert!(!setting.place.path(&file).exists(), "{file}");
        }
    }
    // The later version makes other tokens: the run that has the earlier ones is not gone on with.
    let job = setting.job(Way::Tokenize, "in.csv", "people.csv");
    let other = run(&people, &job, &chancery_bulk::Quiet).unwrap_err();
    assert!(matches!(other, BulkError::Journal(_)), "{other:?}");
    let anew = run(&people, &Job { restarts: true, ..job }, &chancery_bulk::Quiet).unwrap();
    assert_eq!(anew, Summary { rows: ROWS, bad: 0, rows_before: 0 });
    assert!(setting.read("people.csv") == setting.undisturbed());
}

#[test]
fn an_input_that_is_changed_meanwhile_is_no_input() {
    let setting = Setting::new();
    let client = setting.client();
    client.log_in_by_key(&setting.api_key).unwrap();
    let append = || {
        let file = fs::OpenOptions::new().append(true).open(setting.place.path("in.csv"));
        file.unwrap().write_all(b"4111111111111111\n").unwrap();
    };
    let job = setting.job(Way::Tokenize, "in.csv", "out.csv");
    let changed = run(&client, &job, &meanwhile(append)).unwrap_err();
    assert!(matches!(&changed, BulkError::Changed(name) if name.ends_with("in.csv")), "{changed:?}");
    assert!(!setting.place.path("out.csv").exists());
    let other = run(&client, &job, &chancery_bulk::Quiet).unwrap_err();
    assert!(matches!(other, BulkError::Journal(_)), "{other:?}");
}
