//! Where passwords come from: a file, the environment, or a person at a terminal. Never an argument, which
//! everybody on the host can read.

use std::{
    env, fs,
    io::{self, IsTerminal as _},
    path::Path,
    process::Command,
};

use crate::{
    failure::{Failure, While as _},
    output,
};

/// The password of one administrator.
pub(crate) fn password(of: &str, file: Option<&Path>, variable: &str) -> Result<String, Failure> {
    if let Some(path) = file {
        let text = fs::read_to_string(path).doing(path.display().to_string())?;
        return Ok(without_line_end(&text).to_owned());
    }
    if let Ok(password) = env::var(variable) {
        return Ok(password);
    }
    if io::stdin().is_terminal() {
        return ask(of);
    }
    Err(format!("there is no password for {of}: give a file, or {variable}, or run this at a terminal").into())
}

/// A file's last line end is its editor's, not the password's.
pub(crate) fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn ask(of: &str) -> Result<String, Failure> {
    let password = prompt(&format!("Password for {of}: "))?;
    if prompt("The same again: ")? == password {
        return Ok(password);
    }
    Err("the two passwords differ".into())
}

/// Asks for a line that nobody sees.
pub(crate) fn prompt(question: &str) -> Result<String, Failure> {
    output::question(question)?;
    let _silence = Silence::begin()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    output::note("");
    Ok(without_line_end(&line).to_owned())
}

/// A terminal that does not show what is typed, until dropped.
struct Silence;

impl Silence {
    fn begin() -> Result<Self, Failure> {
        stty("-echo")?;
        Ok(Self)
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        let _best_effort = stty("echo");
    }
}

/// Standard input, inherited, is the terminal that stty works on.
fn stty(mode: &str) -> Result<(), Failure> {
    let status = Command::new("stty").arg(mode).status().doing("stty")?;
    if status.success() { Ok(()) } else { Err(format!("stty {mode} failed: {status}").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gives_its_first_line_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for (content, expected) in [("a b ", "a b "), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n")] {
            let path = folder.path().join("password");
            fs::write(&path, content).unwrap();
            assert_eq!(password("Admin1", Some(&path), "CHANCERY_NO_SUCH").unwrap(), expected);
        }
    }
}
