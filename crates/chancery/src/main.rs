//! The `chancery` program: the server, its installation, and the commands of somebody with a shell on the host.

mod allocator;
mod cli;
mod commands;
mod data_lock;
mod failure;
mod installation;
mod logging;
mod output;
mod own_tls;
mod password_input;
mod private_file;
mod quickstart;
mod serving;
mod settings;
mod shown;
mod time_stamps;

use std::{process::ExitCode, time::Duration};

use clap::Parser as _;

use cli::{Cli, Command};
use failure::{Failure, describe};

/// How long what runs in threads may take to end, when everything else has.
const LAST_WAIT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    allocator::hold_little();
    let Cli { command } = Cli::parse();
    match run(command) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("chancery: {}", describe(failure.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        tokio::spawn(allocator::give_back_in_turn());
        match command {
            Command::Serve(command) => commands::serve::run(command).await?,
            Command::Init(command) => commands::init::run(command).await?,
            Command::Quickstart(command) => quickstart::run(command).await?,
            Command::Settings(command) => commands::settings::run(command).await?,
            Command::Unlock(command) => commands::unlock::run(command).await?,
            Command::Backup(command) => commands::backup::run(command).await?,
            Command::Rows(command) => return commands::rows::run(command).await,
            Command::Verify(command) => return Ok(commands::verify::run(&command)),
        }
        Ok(ExitCode::SUCCESS)
    });
    // Whatever still waits for a disk or a name server does not keep the process.
    runtime.shutdown_timeout(LAST_WAIT);
    outcome
}
