//! Invariant 1: a public door method names in its first parameter on whose behalf it acts.

use super::source::Source;

/// A fully logged-in session; anybody; somebody with a shell on the host, who has everything anyway.
const ACTORS: &[&str] = &["&Caller", "&Visitor", "&Host"];

/// In `identity/` alone: a request whose credentials are yet to be judged.
const UNJUDGED: &str = "RequestInfo";

/// What has doors: the installation, what all its domains stand on, and each of them.
const DOORS: &[&str] = &[
    "Approvals",
    "Audit",
    "Budgets",
    "Chancery",
    "Context",
    "Identities",
    "Keys",
    "Log",
    "Notices",
    "Pki",
    "Reports",
    "Signing",
    "Tokens",
];

/// Public methods that act for nobody: they open, describe or close the installation.
const WITHOUT_ACTOR: &[&str] = &["open", "limits", "shut_down"];

pub(super) fn check(source: &Source) -> Vec<String> {
    if !source.starts_with("crates/chancery-core/src") || !source.is_rust() {
        return Vec::new();
    }
    let mut inside = false;
    let mut complaints = Vec::new();
    let lines: Vec<_> = source.code().collect();
    for (index, (number, line)) in lines.iter().enumerate() {
        match *line {
            "}" => inside = false,
            line => inside |= is_door(line),
        }
        let method = line.strip_prefix("    pub ").filter(|_| inside).and_then(|rest| rest.split_once("fn "));
        let Some((_, rest)) = method else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or_default();
        // rustfmt puts long signatures on several lines: the first parameters are within the next few.
        let signature: String = lines[index..].iter().take(4).map(|(_, line)| line.trim()).collect();
        let actor = first_parameter(&signature).unwrap_or_default();
        let judged =
            ACTORS.contains(&actor) || (actor == UNJUDGED && source.starts_with("crates/chancery-core/src/identity"));
        if !judged && !WITHOUT_ACTOR.contains(&name) {
            let what = format!("the door method {name} must say first for whom it acts: {}", ACTORS.join(", "));
            complaints.push(source.complain(*number, &what));
        }
    }
    complaints
}

fn is_door(line: &str) -> bool {
    let of = line.strip_prefix("impl ").and_then(|rest| rest.strip_suffix(" {"));
    of.is_some_and(|of| DOORS.contains(&of))
}

/// The type of the first parameter after `self`.
fn first_parameter(signature: &str) -> Option<&str> {
    let (_, parameters) = ["self,", "self: &Arc<Self>,"].iter().find_map(|own| signature.split_once(own))?;
    let (_, of_type) = parameters.split_once(':')?;
    Some(of_type.split([',', ')']).next()?.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_method_says_for_whom_it_acts() {
        let path = "crates/chancery-core/src/x.rs";
        let door =
            |method: &str| check(&Source::of(path, &format!("impl Chancery {{\n    {method} {{\n    }}\n}}\n"))).len();
        assert_eq!(door("pub async fn read(&self, caller: &Caller, id: u8)"), 0);
        assert_eq!(door("pub async fn login(&self, visitor: &Visitor)"), 0);
        assert_eq!(door("pub async fn read(&self, id: u8)"), 1);
        assert_eq!(door("pub fn settings(&self) -> u8"), 1);
        assert_eq!(door("pub async fn read<T>(\n        &self,\n        caller: &Caller,\n    )"), 0);
        assert_eq!(door("pub async fn read(\n        self: &Arc<Self>,\n        caller: &Caller,\n    )"), 0);
        assert_eq!(door("pub async fn read(self: &Arc<Self>, id: u8)"), 1);
        assert_eq!(door("pub(crate) async fn read(&self, id: u8)"), 0);
        assert_eq!(door("pub async fn list(&self, _: &Visitor) -> u8"), 0);
        assert_eq!(door("pub async fn log_out(&self, request: RequestInfo)"), 1, "outside identity/");
        assert_eq!(door("pub const fn limits(&self) -> &Limits"), 0);
    }
}
