//! What must not compile: `promises.rs` of core says at the end of a line which error the compiler has to give there. The
//! lines around it are the same thing done rightly, so a line cannot be refused for another reason unseen.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::{Result, sh};

const FILE: &str = "crates/chancery-core/src/promises.rs";

/// Whether the compiler refuses each of the lines, and nothing else. As clippy, which has compiled all others by now.
pub(crate) fn check() -> Result {
    let text = fs::read_to_string(sh::root().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    let expected: BTreeSet<_> = (1..).zip(text.lines()).filter_map(expected).collect();
    let mut clippy = sh::cargo();
    clippy.args(["clippy", "--workspace", "--lib", "--quiet", "--message-format=json"]);
    clippy.args(["--features=chancery-core/promises", "--", "--deny", "warnings"]);
    let output = clippy.output().map_err(|error| format!("cargo clippy could not be started: {error}"))?;
    let refused: BTreeSet<_> = String::from_utf8_lossy(&output.stdout).lines().filter_map(refused).collect();
    if refused == expected {
        return Ok(());
    }
    let told = |which: &str, places: Vec<&(String, u64, String)>| {
        places.iter().map(|(file, line, code)| format!("\n  {file}:{line}: {which} {code}")).collect::<String>()
    };
    let missing = told("compiles, and should give", expected.difference(&refused).collect());
    Err(format!("promises:{missing}{}", told("gives", refused.difference(&expected).collect())))
}

/// The error that a line has to give.
fn expected((number, line): (u64, &str)) -> Option<(String, u64, String)> {
    line.split_once("//~ ").map(|(_, code)| (FILE.to_owned(), number, code.to_owned()))
}

/// An error of the compiler, from a line of its output.
fn refused(line: &str) -> Option<(String, u64, String)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let message = line.get("message").filter(|message| message["level"] == "error")?;
    let span = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    let code = message["code"]["code"].as_str().unwrap_or("an error");
    Some((span["file_name"].as_str()?.to_owned(), span["line_start"].as_u64()?, code.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_it_must_give_and_the_compiler_says_what_it_gave() {
        let asked = expected((7, "    let store = &ctx.store; //~ E0616"));
        let given = r#"{"reason":"compiler-message","message":{"level":"error","code":{"code":"E0616"},"spans":[
            {"is_primary":true,"file_name":"crates/chancery-core/src/promises.rs","line_start":7}]}}"#;
        assert_eq!(asked, refused(&given.replace('\n', "")));
        assert_eq!((expected((7, "fine();")), refused(&given.replace("error", "warning"))), (None, None));
    }
}
