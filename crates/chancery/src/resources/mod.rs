//! The commands of resources (`chancery role list`, `chancery policy create …`): one mechanism, and a table of what there is.

mod access;
mod agree;
mod body;
pub(crate) mod budgets;
mod commands;
#[cfg(test)]
mod coverage;
pub(crate) mod effect;
pub(crate) mod names;
mod once;
pub(crate) mod proposal;
mod record;
mod run;
pub(crate) mod show;
mod table;

use serde_json::Value;

pub(crate) use commands::commands;
pub(crate) use once::{Whose, told_once};
pub(crate) use run::run;

/// A kind of object.
pub(crate) struct Resource {
    /// The command.
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// One of them, for messages.
    pub(crate) one: &'static str,
    /// Where all of them are.
    pub(crate) list: Option<List>,
    /// Where one of them is; `{}` stands for its uuid.
    pub(crate) item: Option<&'static str>,
    /// Whether there may be too many to read all of them for a name.
    pub(crate) is_endless: bool,
    pub(crate) columns: &'static [Column],
    pub(crate) verbs: &'static [Verb],
}

/// A list of the interface.
#[derive(Clone, Copy)]
pub(crate) struct List {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// The member with the objects.
    pub(crate) items: &'static str,
    /// Where the objects are members of those in the list: the member, such as the policies of services.
    pub(crate) inside: Option<&'static str>,
    /// Only those of which this member is true.
    pub(crate) only: Option<&'static str>,
    /// The member of the query that looks for names.
    pub(crate) search: Option<&'static str>,
    /// What else can be asked for.
    pub(crate) filters: &'static [Filter],
    /// How many are shown, where nothing is said.
    pub(crate) limit: usize,
    pub(crate) example: &'static str,
}

/// Most lists.
pub(crate) const PLAIN: List = List {
    method: "GET",
    path: "",
    items: "results",
    inside: None,
    only: None,
    search: Some("search"),
    filters: &[],
    limit: 1_000,
    example: "",
};

/// A member of a list's query.
pub(crate) struct Filter {
    pub(crate) flag: &'static str,
    pub(crate) member: &'static str,
    /// Where it names another object: of which kind.
    pub(crate) of: Option<&'static str>,
    pub(crate) help: &'static str,
}

/// A column of a list.
pub(crate) struct Column {
    pub(crate) title: &'static str,
    /// A JSON pointer.
    pub(crate) at: &'static str,
    /// What has to be there, and neither false nor 0, for the cell to be filled: a pointer.
    pub(crate) only_while: Option<&'static str>,
}

/// Something that is done to a resource.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) method: &'static str,
    /// `{}` stands for the uuid of the one that is named.
    pub(crate) path: &'static str,
    pub(crate) named: Named,
    /// Where only some are meant by a name: a member of the list's query, and its value.
    pub(crate) among: Option<(&'static str, &'static str)>,
    /// Whether somebody decides on what other people proposed: they see it first, and decide on what they saw.
    pub(crate) decides: bool,
    /// What cannot be got back afterwards: whoever does it agrees to that.
    pub(crate) loses: Option<Loss>,
    /// What it may mean for others, by what the object is now: whoever does it agrees to that.
    pub(crate) asks: Option<Asks>,
    /// Where the name is one of a few: where they are.
    pub(crate) one_of: Option<OneOf>,
    /// Members of the body.
    pub(crate) members: &'static [Member],
    /// Flags without which the server refuses it, where no file has their members.
    pub(crate) needs: &'static [&'static str],
    /// Members that are sent where the file has no others: pointer and JSON.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    /// A member that the interface replaces whole, and flags give parts of: the rest stays as it is.
    pub(crate) keeps: Option<&'static str>,
    /// Where it changes who may do what: the question what it will do.
    pub(crate) effect: Option<Effect>,
    /// What the answer is.
    pub(crate) answer: Answered,
    pub(crate) example: &'static str,
}

/// How it is asked who gains and who loses what by a change.
#[derive(Clone, Copy)]
pub(crate) struct Effect {
    /// What the question calls the one that is named.
    pub(crate) of: &'static str,
    /// What it calls what changes of it.
    pub(crate) says: &'static str,
    /// Whether that is the whole body, and not its member of that name.
    pub(crate) is_whole: bool,
}

/// What is lost for good.
#[derive(Clone, Copy)]
pub(crate) struct Loss {
    pub(crate) says: &'static str,
    /// A member of the body, as a pointer, and the value with which nothing is lost.
    pub(crate) unless: Option<(&'static str, &'static str)>,
}

/// What is asked before a change, where the body has one of some members.
#[derive(Clone, Copy)]
pub(crate) struct Asks {
    pub(crate) about: &'static [&'static str],
    /// By the object as it is and the body.
    pub(crate) what: fn(&Value, &Value) -> Vec<Question>,
}

/// Something to agree to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) says: &'static str,
    /// The member of the body by which it is agreed to, where the server asks for one.
    pub(crate) agrees: Option<&'static str>,
}

/// Names that have no uuid.
#[derive(Clone, Copy)]
pub(crate) struct OneOf {
    pub(crate) path: &'static str,
    /// The member of the answer that has them.
    pub(crate) items: &'static str,
    /// One of them, for messages.
    pub(crate) one: &'static str,
    /// What the help says of the name.
    pub(crate) help: &'static str,
}

/// What the name in a verb's path is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// One of the verb's own kind.
    Own,
    /// One of another kind.
    Of(&'static str),
    /// Something that has no uuid: it stands in the path as it is.
    Plain,
}

/// What a verb is answered with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    /// An object, which is shown.
    Object,
    /// Nothing: a word says that it was done.
    Nothing(&'static str),
    /// An object of which one member is printed as it is.
    Text(&'static str),
    /// An identity; where it is an application without a password, with the secret of its API key, told this once.
    FirstKey,
    /// What came of trying something out: whether it was delivered.
    Tried,
    /// A file, which is written.
    File,
    /// Identities and what they can do, page after page: a line for each right.
    Rights,
    /// Who has gained and who has lost what: a line for each right.
    Effect,
    /// The audit records, which are written as they come.
    Export,
    /// Windows of budgets: a line for each.
    Budgets,
}

/// Something done to one of them, without a body.
pub(crate) const SHOW: Verb = Verb {
    name: "show",
    about: "Shows one of them, whole",
    method: "GET",
    path: "",
    named: Named::Own,
    among: None,
    decides: false,
    loses: None,
    asks: None,
    one_of: None,
    members: &[],
    needs: &[],
    fixed: &[],
    keeps: None,
    effect: None,
    answer: Answered::Object,
    example: "",
};

/// Something with a body.
pub(crate) const CREATE: Verb = Verb { name: "create", method: "POST", ..SHOW };

/// A change of one of them.
pub(crate) const CHANGE: Verb = Verb { name: "change", method: "PATCH", ..SHOW };

/// The end of one of them.
pub(crate) const DELETE: Verb = Verb {
    name: "delete",
    about: "Deletes one of them",
    method: "DELETE",
    loses: Some(Loss { says: "what is deleted cannot be had back.", unless: None }),
    answer: Answered::Nothing("deleted"),
    ..SHOW
};

/// A member of a body, as a flag.
pub(crate) struct Member {
    pub(crate) flag: &'static str,
    /// A JSON pointer into the body; or a member of the query, without a slash.
    pub(crate) at: &'static str,
    pub(crate) kind: Kind,
    pub(crate) help: &'static str,
}

/// What a flag's value becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// Several, by commas or by repeating.
    Texts,
    /// The same of words of the interface, among which is no `none`: that stands for no word at all.
    Words,
    Number,
    /// `true` or `false`.
    Switch,
    /// The uuid of what is called so, of this kind.
    Of(&'static str),
    /// The uuid of the authority that is called so; without a name, of the only one whose key is kept here.
    Issuer,
    /// Several of them.
    SomeOf(&'static str),
    /// How much in a window of time, repeated for several: `COUNT/PERIOD`, or `COUNT/PERIOD/each`.
    Budgets,
    /// For how long audit records are kept, as `settings --audit-retention` takes it.
    Retention,
    /// A span of time, such as 30d.
    Span,
    /// The moment so far from now on, such as 90d.
    FromNow,
    /// The text in a file.
    FileText,
    /// The same, a secret; a line end at the end is not a part of it.
    SecretText,
    /// The bytes in a file, as base64.
    FileBytes,
    /// The bytes in a file, as base64; a line end at the end is not a part of it.
    Secret,
    /// The same of a key, which may be any bytes: a line end is one only at the end of a text.
    Key,
    /// JSON as it is.
    Json,
}

/// The kind of objects that a command line is about, and what follows its name.
pub(crate) fn matched(matches: &clap::ArgMatches) -> Option<(&'static Resource, &clap::ArgMatches)> {
    let (name, below) = matches.subcommand()?;
    Some((find(name)?, below))
}

/// The kind of this name.
pub(crate) fn find(name: &str) -> Option<&'static Resource> {
    table::all().find(|resource| resource.name == name)
}

/// The members that the flags of a command give, as pointers, and the flags.
pub(crate) fn flags_of(name: &str, verb: &str) -> Vec<(String, &'static str)> {
    let Some(resource) = find(name) else { return Vec::new() };
    let of_list = resource.list.iter().filter(|_| verb == "list").flat_map(|list| list.filters);
    let of_list = of_list.map(|filter| (filter.member, filter.flag));
    let of_verb = resource.verbs.iter().filter(|one| one.name == verb).flat_map(|one| one.members);
    let all = of_list.chain(of_verb.map(|member| (member.at, member.flag)));
    // What goes into a query is refused by a pointer, too.
    all.map(|(at, flag)| (format!("/{}", at.trim_start_matches('/')), flag)).collect()
}

impl List {
    /// The objects of an answer, each policy with the name of its service.
    pub(crate) fn items_of(&self, response: &Value) -> Vec<Value> {
        let outer = response[self.items].as_array().cloned().unwrap_or_default();
        let items = match self.inside {
            None => outer,
            Some(inside) => outer.iter().flat_map(|one| members_of(one, inside)).collect(),
        };
        items.into_iter().filter(|item| self.only.is_none_or(|member| item[member] == Value::Bool(true))).collect()
    }
}

fn members_of(outer: &Value, inside: &str) -> Vec<Value> {
    let mut items = outer[inside].as_array().cloned().unwrap_or_default();
    for item in &mut items {
        item["serviceName"] = outer["objInfo"]["name"].clone();
    }
    items
}
