//! The `chancery` program: the server, its installation, and the commands of somebody with a shell on the host.

// It panics where standard error is closed.
#![warn(clippy::print_stderr)]

mod allocator;
mod audit_files;
mod bounded;
mod cli;
mod client;
mod commands;
mod data_lock;
mod denied;
mod destination;
mod ending;
mod failure;
mod flags;
mod installation;
mod logging;
mod mail;
mod notices;
mod original;
mod output;
mod own_tls;
mod password_input;
mod private_file;
mod providers;
mod quickstart;
mod resources;
mod serving;
mod settings;
mod shown;
mod time_stamps;

use std::{
    io,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::FromArgMatches as _;

use cli::{Cli, Command, HostCommand};
use client::exit::{Exit, exit_of, tell};
use failure::Failure;

/// How long what runs in threads may take to end, when everything else has.
const LAST_WAIT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    allocator::take_no_huge_pages();
    if let Err(error) = take_limits_of_files_as_errors() {
        tell(&error.into());
        return ExitCode::FAILURE;
    }
    let matches = commands::whole().get_matches();
    flags::remember(&matches);
    if let Some(outcome) = commands::run_of_resource(&matches) {
        return ended(outcome);
    }
    match Cli::from_arg_matches(&matches) {
        Ok(Cli { command: Command::Client(command) }) => ended(commands::run_client(*command)),
        Ok(Cli { command: Command::Host(command) }) => run(*command).unwrap_or_else(|failure| {
            tell(&failure);
            // How calls end is no matter of theirs: quickstart asks the server that it has just started.
            let is_usage = exit_of(&failure) == Exit::Usage;
            ExitCode::from(if is_usage { Exit::Usage } else { Exit::Failed }.code())
        }),
        Err(error) => error.exit(),
    }
}

/// Whoever writes more into a file than the user's limit (`ulimit -f`) allows gets an error, which is told and cleaned up
/// after, as on a full disk. Without this the signal ends the process at once.
fn take_limits_of_files_as_errors() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// The end of a command that talks to a server: what went wrong, and what to do next.
fn ended(outcome: Result<Exit, Failure>) -> ExitCode {
    let exit = outcome.unwrap_or_else(|failure| {
        tell(&failure);
        exit_of(&failure)
    });
    ExitCode::from(exit.code())
}

fn run(command: HostCommand) -> Result<ExitCode, Failure> {
    allocator::give_back_soon();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        tokio::spawn(allocator::give_back_in_turn());
        match command {
            HostCommand::Serve(command) => commands::serve::run(command).await?,
            HostCommand::Init(command) => commands::init::run(command).await?,
            HostCommand::Quickstart(command) => quickstart::run(command).await?,
            HostCommand::Settings(command) => commands::settings::run(command).await?,
            HostCommand::Unlock(command) => commands::unlock::run(command).await?,
            HostCommand::Recover(command) => return Ok(commands::recover::run(command).await),
            HostCommand::Backup(command) => commands::backup::run(command).await?,
            HostCommand::Rows(command) => return commands::rows::run(command).await,
            HostCommand::Verify(command) => return Ok(commands::verify::run(&command)),
        }
        Ok(ExitCode::SUCCESS)
    });
    // Whatever still waits for a disk or a name server does not keep the process.
    runtime.shutdown_timeout(LAST_WAIT);
    outcome
}
