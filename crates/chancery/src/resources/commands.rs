//! The command line of resources, made from the table.

use clap::{Arg, ArgAction, Args as _, Command, builder::BoolishValueParser, value_parser};

use super::{Answered, Kind, List, Member, Named, Resource, Verb, table};
use crate::client::{connection::ServerOptions, inputs::duration};

/// What `--preview` does.
const PREVIEW: &str = "Changes nothing: shows who would gain and who would lose what";

/// All of them.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    table::all().map(command)
}

fn command(resource: &'static Resource) -> Command {
    let lists = resource.list.iter().map(|list| listing(resource, list));
    let verbs = resource.verbs.iter().map(|verb| doing(resource, verb));
    Command::new(resource.name)
        .about(resource.about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(lists.chain(verbs))
}

fn listing(resource: &Resource, list: &'static List) -> Command {
    let mut command = Command::new("list");
    if list.search.is_some() {
        let help = "Only those whose name has this in it";
        command = command.arg(Arg::new("search").long("search").value_name("TEXT").help(help));
    }
    for filter in list.filters {
        command = command.arg(Arg::new(filter.flag).long(filter.flag).value_name("VALUE").help(filter.help));
    }
    let limit = Arg::new("limit").long("limit").value_name("NUMBER").value_parser(value_parser!(usize));
    let limit = limit.help(format!("How many at most [default: {}]", list.limit));
    finished(command.arg(limit), format!("Lists them: {}", resource.about), list.example)
}

fn doing(resource: &'static Resource, verb: &'static Verb) -> Command {
    let mut command = Command::new(verb.name);
    if verb.path.contains("{}") {
        let help = match verb.named {
            Named::Own => format!("Name or uuid of {}", resource.one),
            Named::Of(kind) => format!("Name or uuid of {}", super::find(kind).map_or(kind, |resource| resource.one)),
            Named::Plain => verb.one_of.map_or("Its name", |one_of| one_of.help).to_owned(),
        };
        let is_needed = verb.one_of.is_none();
        command = command.arg(Arg::new("name-or-uuid").value_name("NAME").required(is_needed).help(help));
    }
    command = verb.members.iter().fold(command, |command, member| command.arg(flag(member)));
    if matches!(verb.method, "POST" | "PATCH" | "PUT") && !verb.members.is_empty() {
        let help = "File with the body as the interface has it, or - for standard input; flags come before it";
        command = command.arg(Arg::new("file").long("file").value_name("FILE").help(help));
    }
    if verb.loses.is_some() || verb.asks.is_some() {
        let help = "Does not ask; where nobody is there to ask, it is needed";
        command = command.arg(Arg::new("yes").long("yes").action(ArgAction::SetTrue).help(help));
    }
    if verb.effect.is_some() {
        command = command.arg(Arg::new("preview").long("preview").action(ArgAction::SetTrue).help(PREVIEW));
    }
    let out = match verb.answer {
        Answered::File | Answered::Export => Some("Where to write it [default: standard output]"),
        Answered::FirstKey => {
            Some("File for the secret of its API key, for its owner alone [default: standard output]")
        }
        Answered::Object
        | Answered::Nothing(_)
        | Answered::Text(_)
        | Answered::Tried
        | Answered::Rights
        | Answered::Effect
        | Answered::Budgets => None,
    };
    if let Some(help) = out {
        command = command.arg(Arg::new("out").short('o').long("out").value_name("FILE").help(help));
    }
    let needs: Vec<_> = verb.needs.iter().map(|flag| format!("--{flag}")).collect();
    let about = if needs.is_empty() {
        verb.about.to_owned()
    } else {
        format!("{}. Needed, where --file does not have them: {}", verb.about, needs.join(", "))
    };
    finished(command, about, verb.example)
}

fn flag(member: &Member) -> Arg {
    let arg = Arg::new(member.flag).long(member.flag).help(member.help);
    match member.kind {
        Kind::Text => arg.value_name("TEXT"),
        Kind::Number => arg.value_name("NUMBER").value_parser(value_parser!(i64)),
        // On and off, which commands on the host say, and what else clap knows of.
        Kind::Switch => arg.value_name("BOOL").value_parser(BoolishValueParser::new()),
        Kind::Of(_) | Kind::Issuer => arg.value_name("NAME"),
        Kind::Texts => arg.value_name("TEXT").action(ArgAction::Append).value_delimiter(','),
        Kind::Words => arg.value_name("WORD").action(ArgAction::Append).value_delimiter(','),
        Kind::SomeOf(_) => arg.value_name("NAME").action(ArgAction::Append),
        Kind::Budgets => arg.value_name("COUNT/PERIOD").action(ArgAction::Append),
        Kind::Retention => arg.value_name("WHICH"),
        Kind::Span => arg.value_name("SPAN"),
        Kind::FromNow => arg.value_name("SPAN").value_parser(duration),
        Kind::FileText | Kind::SecretText | Kind::FileBytes | Kind::Secret | Kind::Key => arg.value_name("FILE"),
        Kind::Json => arg.value_name("JSON"),
    }
}

/// The server's options last, and an example at the end. What the command does comes after the options, for these say what
/// they are themselves.
fn finished(command: Command, about: String, example: &str) -> Command {
    ServerOptions::augment_args(command).about(about).after_help(format!("Example:\n  {example}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_an_example_of_itself() {
        for resource in table::all() {
            let lists = resource.list.iter().map(|list| ("list", list.example));
            for (name, example) in lists.chain(resource.verbs.iter().map(|verb| (verb.name, verb.example))) {
                let begin = format!("chancery {} {name}", resource.name);
                assert!(example.contains(&begin), "{begin}: {example}");
            }
            assert!(resource.list.is_none_or(|list| !list.path.is_empty()), "{}", resource.name);
            assert!(resource.verbs.iter().all(|verb| verb.path.starts_with('/')), "{}", resource.name);
        }
    }
}
