//! One file a command.

mod activity;
mod api_key;
mod audit;
mod audit_who;
pub(crate) mod backup;
mod bulk;
mod cert;
mod decide;
mod grant;
pub(crate) mod init;
mod log_watch;
mod login;
mod mailbox;
mod manual;
mod passkey;
mod password;
pub(crate) mod recover;
pub(crate) mod rows;
mod rule;
pub(crate) mod serve;
pub(crate) mod settings;
mod sign;
mod token;
mod tokenize;
mod totp;
pub(crate) mod unlock;
pub(crate) mod verify;
mod who;

use chancery_types::Decision;
use clap::{Arg, ArgMatches, CommandFactory as _, builder::Resettable};

use crate::{
    cli::{
        Cli, ClientCommand,
        client::{Log, LogCommand},
    },
    client::exit::{self, Exit},
    failure::Failure,
    resources,
};

/// The server's options, of [`ServerOptions`](crate::client::connection::ServerOptions), and their heading.
const SERVER_OPTIONS: [&str; 5] = ["server_profile", "server", "ca", "api_key_file", "output"];
const SERVER_HEADING: &str = "Server";

/// The whole command line: what is written down, and the commands of resources.
pub(crate) fn whole() -> clap::Command {
    // What makes a key here, is found by two names, or reads files of the host, is in no line of a table.
    let made = resources::commands().map(|command| match command.get_name() {
        "cert" => cert::added(command),
        "identity" => api_key::added(command),
        "audit" => audit::added(command),
        _ => command,
    });
    own_flags_first(without_empty_variables(Cli::command().subcommands(made).after_help(exit::help())))
}

/// What comes behind the server's options in a structure is listed under their heading, whoever's it is.
fn own_flags_first(command: clap::Command) -> clap::Command {
    let is_server = |arg: &Arg| SERVER_OPTIONS.contains(&arg.get_id().as_str());
    let is_misplaced = |arg: &Arg| arg.get_help_heading() == Some(SERVER_HEADING) && !is_server(arg);
    command
        .mut_args(|arg| if is_misplaced(&arg) { arg.help_heading(Resettable::Reset) } else { arg })
        .mut_subcommands(own_flags_first)
}

/// A variable that is set to nothing counts as one that is not set, whichever option it is of.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |arg: &Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    command
        .mut_args(|arg| if is_empty(&arg) { arg.env(Resettable::Reset) } else { arg })
        .mut_subcommands(without_empty_variables)
}

/// A command of a resource, where the line has one.
pub(crate) fn run_of_resource(matches: &ArgMatches) -> Option<Result<Exit, Failure>> {
    let (resource, below) = resources::matched(matches)?;
    let made = match resource.name {
        "cert" => cert::run(below),
        "identity" => api_key::run(below),
        "audit" => audit::run(below),
        _ => None,
    };
    Some(made.unwrap_or_else(|| resources::run(resource, below).map(|()| Exit::Done)))
}

/// A command that talks to a server.
pub(crate) fn run_client(command: ClientCommand) -> Result<Exit, Failure> {
    match command {
        ClientCommand::Login(command) => login::run(&command),
        ClientCommand::Totp(command) => totp::run(&command.what),
        ClientCommand::Password(command) => password::run(&command),
        ClientCommand::Logout(command) => who::log_out(&command),
        ClientCommand::Status(command) => who::status(&command.server),
        ClientCommand::Whoami(command) => who::whoami(&command.server),
        ClientCommand::Activity(command) => activity::run(&command.server),
        ClientCommand::Sign(command) => sign::run(&command),
        ClientCommand::Approve(command) => decide::approve(&command),
        ClientCommand::Deny(command) => decide::run(&command, Decision::Deny),
        ClientCommand::Tokenize(command) => tokenize::run(&command, tokenize::Way::There),
        ClientCommand::Detokenize(command) => tokenize::run(&command, tokenize::Way::Back),
        ClientCommand::Rewrap(command) => tokenize::rewrap(&command),
        ClientCommand::Token(command) => token::run(command.what),
        ClientCommand::Track(command) => token::run_track(command.what),
        ClientCommand::Rule(command) => rule::run(command.what),
        ClientCommand::Grant(command) => grant::run(command.what),
        ClientCommand::Mailbox(command) => mailbox::run(command.what),
        ClientCommand::Passkey(command) => passkey::run(command.what),
        ClientCommand::Log(Log { what: LogCommand::Watch(command) }) => log_watch::run(&command),
        ClientCommand::Completions(command) => manual::completions(&command),
        ClientCommand::Man(command) => manual::pages(&command),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{SERVER_HEADING, SERVER_OPTIONS, whole};

    #[test]
    fn the_command_line_is_consistent() {
        super::whole().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does_and_no_other_says() {
        fn check(command: &clap::Command) {
            let abouts = command.get_subcommands().map(|below| {
                let about = below.get_about().map(ToString::to_string).unwrap_or_default();
                assert!(!about.is_empty(), "{} {}", command.get_name(), below.get_name());
                about
            });
            let (abouts, count) = (abouts.collect::<BTreeSet<_>>(), command.get_subcommands().count());
            assert_eq!(abouts.len(), count, "{}: {abouts:#?}", command.get_name());
            command.get_subcommands().for_each(check);
        }
        check(&super::whole());
    }

    /// Goes through all commands.
    fn each(command: &clap::Command, look: &mut impl FnMut(&clap::Command)) {
        look(command);
        command.get_subcommands().for_each(|below| each(below, look));
    }

    #[test]
    fn only_the_servers_options_stand_under_their_heading() {
        let mut seen = 0;
        each(&whole(), &mut |command| {
            for arg in command.get_arguments().filter(|arg| arg.get_help_heading() == Some(SERVER_HEADING)) {
                assert!(SERVER_OPTIONS.contains(&arg.get_id().as_str()), "{}: {}", command.get_name(), arg.get_id());
                seen += 1;
            }
        });
        assert!(seen > 500, "{seen}");
    }
}
