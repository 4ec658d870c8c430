//! Invariant 1: a public door method names its caller first.

use super::source::Source;

/// Public methods of `Chancery` that speak for nobody: they open, describe or close the installation, or work on the
/// host, where whoever has the files has everything.
const WITHOUT_CALLER: &[&str] = &["open", "limits"];

pub(super) fn check(source: &Source) -> Vec<String> {
    if !source.starts_with("crates/chancery-core/src") || !source.is_rust() {
        return Vec::new();
    }
    let mut inside = false;
    let mut complaints = Vec::new();
    let lines: Vec<_> = source.code().collect();
    for (index, (number, line)) in lines.iter().enumerate() {
        match *line {
            "impl Chancery {" => inside = true,
            "}" => inside = false,
            _ => {}
        }
        let method = line.strip_prefix("    pub ").filter(|_| inside).and_then(|rest| rest.split_once("fn "));
        let Some((_, rest)) = method else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or_default();
        // rustfmt puts long signatures on several lines: the first parameters are within the next few.
        let signature: String = lines[index..].iter().take(4).map(|(_, line)| line.trim()).collect();
        let named = signature.split_once("self,").is_some_and(|(_, parameters)| {
            let first = parameters.trim_start();
            first.starts_with("caller: &Caller") || first.starts_with("visitor: &Visitor")
        });
        if !WITHOUT_CALLER.contains(&name) && !named {
            complaints
                .push(source.complain(*number, &format!("the door method {name} must take `caller: &Caller` first")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_method_names_its_caller() {
        let path = "crates/chancery-core/src/x.rs";
        let door =
            |method: &str| check(&Source::of(path, &format!("impl Chancery {{\n    {method} {{\n    }}\n}}\n"))).len();
        assert_eq!(door("pub async fn read(&self, caller: &Caller, id: u8)"), 0);
        assert_eq!(door("pub async fn login(&self, visitor: &Visitor)"), 0);
        assert_eq!(door("pub async fn read(&self, id: u8)"), 1);
        assert_eq!(door("pub fn settings(&self) -> u8"), 1);
        assert_eq!(door("pub async fn read<T>(\n        &self,\n        caller: &Caller,\n    )"), 0);
        assert_eq!(door("pub(crate) async fn read(&self, id: u8)"), 0);
        assert_eq!(door("pub const fn limits(&self) -> &Limits"), 0);
    }
}
