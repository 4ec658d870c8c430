//! How long files and functions may be. The lists at the top are ratchets: they may only get shorter.

use super::source::Source;

const FILE_MAX: usize = 400;
const FUNCTION_MAX: usize = 60;

/// Files that are longer, with the length they have: each is a table, or is to be split.
const LONG_FILES: &[(&str, usize)] = &[];

pub(super) fn check(source: &Source) -> Vec<String> {
    if !source.is_rust() {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let allowed = LONG_FILES.iter().find(|(path, _)| source.path == std::path::Path::new(path));
    let allowed = allowed.map_or(FILE_MAX, |(_, lines)| *lines);
    let lines = source.code().count();
    if lines > allowed {
        complaints
            .push(source.complain(lines, &format!("the file has {lines} lines, {allowed} are allowed: split it")));
    }
    if !source.is_test() {
        complaints.extend(long_functions(source));
    }
    complaints
}

/// Functions in rustfmt's layout: from a line with `fn` to the closing brace of the same indentation.
fn long_functions(source: &Source) -> Vec<String> {
    let lines: Vec<_> = source.code().collect();
    let mut complaints = Vec::new();
    for (index, (number, line)) in lines.iter().enumerate() {
        let body = line.trim_start();
        if body.starts_with("//") || !body.split(' ').any(|word| word == "fn") || body.ends_with(';') {
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - body.len()]);
        let length = lines[index..].iter().position(|(_, line)| *line == end).map_or(0, |last| last + 1);
        if length > FUNCTION_MAX {
            complaints
                .push(source.complain(*number, &format!("a function of {length} lines, {FUNCTION_MAX} are allowed")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_functions_and_files_are_found() {
        let function = |lines: usize| format!("    pub fn f() {{\n{}    }}\n", "        work();\n".repeat(lines - 2));
        assert_eq!(check(&Source::of("src/x.rs", &function(FUNCTION_MAX))).len(), 0);
        assert_eq!(check(&Source::of("src/x.rs", &function(FUNCTION_MAX + 1))).len(), 1);
        assert_eq!(check(&Source::of("src/x.rs", &"// a line\n".repeat(FILE_MAX + 1))).len(), 1);
    }
}
