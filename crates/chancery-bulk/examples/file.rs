//! `file SERVER CA PROFILE COLUMN INPUT OUTPUT`: tokenizes a column of a file, as a program that does so among other things
//! would. The API key is in CHANCERY_API_KEY.
//!
//! ```sh
//! CHANCERY_API_KEY=… cargo run --example file -- https://127.0.0.1:8443 ca.pem 0190a5b0-… pan in.csv out.csv
//! ```

use std::{env, error::Error, fs};

use chancery_bulk::{Column, Job, Progress, Summary, Watch, Way, run};
use chancery_client::Client;

/// Tells on standard error what a person should know.
struct Teller;

impl Watch for Teller {
    fn progress(&self, progress: &Progress) {
        eprint!("\r{} rows, {} refused", progress.rows, progress.bad);
    }

    fn note(&self, note: &str) {
        eprintln!("{note}");
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [server, authority, profile, column, input, output] = arguments.as_slice() else {
        return Err("file SERVER CA PROFILE COLUMN INPUT OUTPUT".into());
    };
    let client = Client::new(server, &fs::read(authority)?)?;
    let summary = tokenize(&client, &env::var("CHANCERY_API_KEY")?, (column, profile), (input, output))?;
    eprintln!("\r{} rows written, {} refused", summary.rows, summary.bad);
    Ok(())
}

/// The name of `input` says its format; rows that are refused go to OUTPUT.rejects, each with its reason. Should this be
/// interrupted, the same call goes on where it stopped.
pub(crate) fn tokenize(
    client: &Client,
    api_key: &str,
    (column, profile): (&str, &str),
    (input, output): (&str, &str),
) -> Result<Summary, Box<dyn Error>> {
    // A large file takes longer than a session lives.
    client.stay_logged_in_by_key(api_key)?;
    client.take_token()?;
    let column = Column::new(column, profile.parse()?);
    Ok(run(client, &Job::of_files(Way::Tokenize, vec![column], input, output)?, &Teller)?)
}
