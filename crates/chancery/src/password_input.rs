//! Where passwords come from: a file, the environment, or a person at a terminal. Never an argument, which
//! everybody on the host can read.

use std::{
    env,
    fs::File,
    io::{self, IsTerminal as _},
    path::Path,
};

use crate::{
    bounded, ending,
    failure::{Failure, While as _},
    output,
};

/// Bytes of a file that has a password, at most.
const FILE_MAX: u64 = 64 * 1024;

/// The password of one administrator.
pub(crate) fn password(of: &str, file: Option<&Path>, variable: &str) -> Result<String, Failure> {
    if let Some(path) = file {
        let text = read_file(path).doing(path.display().to_string())?;
        return Ok(without_line_end(&text).to_owned());
    }
    if let Some(password) = env::var_os(variable).filter(|password| !password.is_empty()) {
        return password.into_string().map_err(|_| format!("{variable}: it is no text").into());
    }
    if io::stdin().is_terminal() {
        return ask_twice(&format!("Password for {of}: "));
    }
    Err(format!("there is no password for {of}: give a file, or {variable}, or run this at a terminal").into())
}

fn read_file(path: &Path) -> io::Result<String> {
    bounded::as_text(bounded::read(File::open(path)?, FILE_MAX)?)
}

/// A file's last line end is its editor's, not the password's.
pub(crate) fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// Asks for a password that is to be set, twice: a slip would lock its owner out.
pub(crate) fn ask_twice(question: &str) -> Result<String, Failure> {
    let password = prompt(question)?;
    if prompt("The same again: ")? == password {
        return Ok(password);
    }
    Err("the two passwords differ".into())
}

/// Asks for a line that nobody sees.
pub(crate) fn prompt(question: &str) -> Result<String, Failure> {
    let _silence = ending::Silence::begin()?;
    output::question(question)?;
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line)?;
    output::note("");
    if read == 0 {
        return Err("nothing was typed, and the input has ended".into());
    }
    Ok(without_line_end(&line).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gives_its_first_line_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for (content, expected) in [("a b ", "a b "), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n")] {
            let path = folder.path().join("password");
            std::fs::write(&path, content).unwrap();
            assert_eq!(password("Admin1", Some(&path), "CHANCERY_NO_SUCH").unwrap(), expected);
        }
    }
}
