//! Programs that we did not write.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

/// A program to run, with its arguments.
pub struct Tool {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    input: Vec<u8>,
    folder: Option<PathBuf>,
}

/// How a program ended.
pub struct Ran {
    /// Its exit status.
    pub status: ExitStatus,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Ran {
    /// Standard output as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Java's programs end within seconds here. Its second compiler and its parallel collector then cost more than they save:
/// half of the processor time of a verdict, on two cores.
fn short_java(program: &str) -> Option<[&'static str; 2]> {
    match program {
        "java" => Some(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]),
        "jarsigner" | "keytool" => Some(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]),
        _ => None,
    }
}

impl Tool {
    /// A program by its name: one that `cargo xtask test` put under `target/tools`, else one on the PATH.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
        let installed = ["bin", "venv/bin", "node/node_modules/.bin"].map(|folder| tools.join(folder).join(name));
        let program = installed.into_iter().find(|path| path.is_file());
        let program = program.unwrap_or_else(|| name.into());
        let arguments = short_java(name).into_iter().flatten().map(OsString::from).collect();
        Tool { program, arguments, environment: Vec::new(), input: Vec::new(), folder: None }
    }

    /// One more argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().into());
        self
    }

    /// More arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = A>) -> Self {
        arguments.into_iter().fold(self, Tool::arg)
    }

    /// A variable of its environment, besides those of the test's own.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().into(), value.as_ref().into()));
        self
    }

    /// What it reads from standard input; nothing otherwise.
    #[must_use]
    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// The folder that it runs in.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Runs it; a failure of the program is a failure of the test, with everything it wrote.
    #[must_use]
    pub fn run(self) -> Ran {
        let line = self.line();
        let ran = self.try_run();
        assert!(
            ran.status.success(),
            "{line}: {}\nstandard output:\n{}\nstandard error:\n{}",
            ran.status,
            ran.text(),
            ran.stderr
        );
        ran
    }

    /// Runs it, for a test that looks at its failure; only a missing program fails the test.
    #[must_use]
    pub fn try_run(self) -> Ran {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                panic!("{} is not installed; `cargo xtask test` installs it", self.program.display())
            }
            Err(error) => panic!("{}: {error}", self.line()),
        };
        // Written beside reading: a program that writes before it has read everything would otherwise wait for us, and
        // we for it.
        let (stdin, input) = (child.stdin.take(), self.input);
        let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        // A program may end without reading its input; that shows in its status.
        let _ = writer.join();
        Ran {
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    fn line(&self) -> String {
        let arguments = self.arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
        std::iter::once(self.program.display().to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_arguments_and_output_pass_through() {
        let ran = Tool::new("sh").args(["-c", "cat; echo $0 >&2", "word"]).input("text").run();
        assert_eq!((ran.text().as_str(), ran.stderr.as_str()), ("text", "word\n"));
    }

    #[test]
    #[should_panic(expected = "no-such-program is not installed; `cargo xtask test` installs it")]
    fn a_missing_program_fails_the_test() {
        let _ = Tool::new("no-such-program").try_run();
    }

    #[test]
    #[should_panic(expected = "said why")]
    fn a_failure_shows_what_the_program_said() {
        let _ = Tool::new("sh").args(["-c", "echo said why >&2; exit 3"]).run();
    }
}
