//! Circles between the top modules of a crate: whoever reads one module of a circle has to read them all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::source::Source;

/// Crates in which so many modules are still in circles. A ratchet: the numbers may only become smaller.
const IN_CIRCLES: &[(&str, usize)] =
    &[("chancery-keys", 2), ("chancery-server", 7), ("chancery-store", 21), ("chancery-verify", 3), ("ff1", 10)];

/// How many others a module of core may use, and the one that holds all of them by intent.
const FAN_OUT_MAX: usize = 9;
const FACADE: &str = "chancery";

/// Which modules each one uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(&str, &Source)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
        let path = source.path.to_str().unwrap_or_default();
        let Some((package, file)) = path.split_once("/src/") else { continue };
        // Tests, and what several of them need.
        if file.ends_with("testing.rs") || file.ends_with("/tests.rs") {
            continue;
        }
        crates.entry(package.rsplit('/').next().unwrap_or_default()).or_default().push((file, source));
    }
    let mut complaints: Vec<_> = crates.iter().filter_map(|(package, files)| complaint(package, files)).collect();
    if let Some(core) = crates.get("chancery-core").and_then(|files| uses(files)) {
        complaints.extend(too_many(&core));
    }
    complaints
}

fn too_many(uses: &Uses) -> impl Iterator<Item = String> {
    let many = uses.iter().filter(|(module, used)| *module != FACADE && used.len() > FAN_OUT_MAX);
    many.map(|(module, used)| {
        format!(
            "chancery-core: {module} uses {} modules, {FAN_OUT_MAX} are allowed (xtask/src/tidy/circles.rs)",
            used.len()
        )
    })
}

fn complaint(package: &str, files: &[(&str, &Source)]) -> Option<String> {
    let uses = uses(files)?;
    let found: Vec<_> =
        uses.keys().filter(|module| reached(&uses, module).contains(module.as_str())).cloned().collect();
    let allowed = IN_CIRCLES.iter().find(|(name, _)| *name == package).map_or(0, |(_, modules)| *modules);
    (found.len() > allowed).then(|| {
        let modules = found.join(", ");
        let count = found.len();
        format!("{package}: {count} modules use each other in circles, {allowed} are allowed (xtask/src/tidy/circles.rs): {modules}")
    })
}

/// All modules that one uses, directly or through others.
fn reached<'a>(uses: &'a Uses, module: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<_> = uses.get(module).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module.as_str()) {
            next.extend(uses.get(module).into_iter().flatten());
        }
    }
    reached
}

/// Without comments and tests.
fn code(source: &Source) -> String {
    source.code().flat_map(|(_, line)| [line.split("//").next().unwrap_or_default(), "\n"]).collect()
}

fn uses(files: &[(&str, &Source)]) -> Option<Uses> {
    let (_, root) = files.iter().find(|(file, _)| *file == "lib.rs" || *file == "main.rs")?;
    let root = code(root);
    let names = names(&root);
    let mut uses = Uses::new();
    for (file, source) in files {
        let Some(module) = file.split(['/', '.']).next().filter(|module| names.contains_key(module)) else { continue };
        let used = mentioned(&code(source)).into_iter().filter_map(|name| names.get(name.as_str()));
        let used = used.filter(|used| **used != module).map(|used| (*used).to_owned());
        uses.entry(module.to_owned()).or_default().extend(used);
    }
    Some(uses)
}

/// The modules of the crate, and what its root shows of them, with the module that it comes from.
fn names(root: &str) -> HashMap<&str, &str> {
    let mut names = HashMap::new();
    let statements: Vec<_> = root.split(';').collect();
    for statement in &statements {
        let declared = statement.lines().last().unwrap_or_default().split_once("mod ");
        if let Some((before, module)) = declared
            && (before.is_empty() || before.starts_with("pub"))
        {
            names.insert(module, module);
        }
    }
    for statement in statements {
        let Some((_, path)) = statement.split_once("use ") else { continue };
        let Some((module, items)) = path.split_once("::") else { continue };
        if let Some(module) = names.get(module).copied() {
            let items = items.split(['{', '}', ',', ' ', '\n', ':']).filter(|item| !item.is_empty());
            names.extend(items.map(|item| (item, module)).filter(|(item, _)| item.starts_with(char::is_uppercase)));
        }
    }
    names
}

/// What the code names directly under the crate's root: `crate::x::y` and `crate::{x::y, z}`.
fn mentioned(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            names.push(first_word(rest));
            continue;
        };
        let mut depth = 0_usize;
        let mut item = 0;
        for (index, character) in list.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    names.push(first_word(&list[item..index]));
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    names.push(first_word(&list[item..index]));
                    item = index + 1;
                }
                _ => {}
            }
        }
    }
    names
}

fn first_word(text: &str) -> String {
    let word = |character: &char| character.is_alphanumeric() || *character == '_';
    text.trim_start().chars().take_while(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> usize {
        let sources: Vec<_> =
            files.iter().map(|(file, text)| Source::of(&format!("crates/x/src/{file}"), text)).collect();
        check(&sources).len()
    }

    #[test]
    fn circles_are_found_through_names_of_the_root() {
        let root = ("lib.rs", "mod one;\npub mod two;\nmod three;\n\npub use two::{Two, more::Else};\n");
        let one = ("one/deep.rs", "use crate::{\n    Two,\n    three::Three,\n};\n");
        let two = ("two.rs", "fn f() -> crate::three::Three {}\n");
        assert_eq!(found(&[root, one, two, ("three.rs", "// crate::one is not used\n")]), 0);
        assert_eq!(found(&[root, one, two, ("three.rs", "use crate::one::One;\n")]), 1);
        assert_eq!(found(&[root, two, ("three.rs", "use crate::Else;\n")]), 1);
        assert_eq!(found(&[root, two, ("three.rs", "#[cfg(test)]\nmod tests {\n    use crate::Else;\n}\n")]), 0);
    }

    #[test]
    fn a_module_of_core_uses_few_others_but_for_the_facade() {
        let names: Vec<_> = ('a'..='j').map(|name| format!("m{name}")).collect();
        let root: String = names.iter().chain([&FACADE.to_owned()]).map(|name| format!("mod {name};\n")).collect();
        let found = |module: &str, used: usize| {
            let text = format!("use crate::{{{}}};\n", names[10 - used..].join("::A, ") + "::A");
            let files = [("lib.rs".to_owned(), root.clone()), (format!("{module}.rs"), text)];
            let source =
                |(file, text): &(String, String)| Source::of(&format!("crates/chancery-core/src/{file}"), text);
            check(&files.iter().map(source).collect::<Vec<_>>()).len()
        };
        assert_eq!((found("ma", FAN_OUT_MAX), found(FACADE, 10)), (0, 0));
        let root_of_more = root.replace("mod ma;", "mod ma;\nmod other;");
        let source = |file: &str, text: &str| Source::of(&format!("crates/chancery-core/src/{file}"), text);
        let text = format!("use crate::{{{}}};\n", names.join("::A, ") + "::A");
        assert_eq!(check(&[source("lib.rs", &root_of_more), source("other.rs", &text)]).len(), 1);
    }
}
