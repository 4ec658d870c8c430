//! Tokenizes whole files, and turns their tokens back: CSV, JSON lines, fixed width and Parquet, of any size, over
//! several connections, and to be taken up again after an interruption.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use chancery_bulk::{Column, Job, Quiet, Way, run};
//!
//! let client = chancery_client::Client::new("https://127.0.0.1:8443", &std::fs::read("ca.pem")?)?;
//! client.stay_logged_in_by_key("…")?;
//! client.take_token()?;
//! let column = Column::new("pan", "0190a5b0-…".parse()?);
//! let summary = run(&client, &Job::of_files(Way::Tokenize, vec![column], "in.csv", "out.csv")?, &Quiet)?;
//! println!("{} rows, {} refused", summary.rows, summary.bad);
//! # Ok(())
//! # }
//! ```
//!
//! `examples/file.rs` is the whole of a program that does so.
//!
//! A reader cuts the input into pieces of whole rows, workers have their values tokenized, and the calling thread writes
//! what they made, in the order of the input. See [`run`].

mod answers;
mod calls;
mod compression;
mod error;
mod head;
mod input;
mod job;
mod journal;
mod kept;
mod output;
mod parquet_file;
mod parquet_footer;
mod parquet_group;
mod parquet_input;
mod parquet_kept;
mod parquet_row;
mod parquet_size;
mod parquet_texts;
mod pipeline;
mod places;
mod run;
mod saver;
mod text;
mod text_file;
mod waits;

pub use error::BulkError;
pub use job::{Column, Format, Job, Place, Progress, Quiet, Summary, Watch, Way};
pub use run::run;
