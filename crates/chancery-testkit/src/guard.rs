//! A server that ends with the test process, however that ends.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The shell waits for its standard input: "stop" ends the server, and the end of the input (this process is gone, even
/// by kill -9) ends it and removes the folder. It is deaf to Ctrl-C, so that it is there to clean up.
const SCRIPT: &str = r#"
trap '' INT TERM HUP
folder=$1; shift
"$@" </dev/null &
server=$!
word=
read -r word
kill -INT "$server" 2>/dev/null
wait "$server"
[ "$word" = stop ] || rm -rf "$folder"
"#;

pub(crate) struct Guard(Child);

impl Guard {
    /// Starts a server whose output goes to `log` in the folder.
    pub(crate) fn start(folder: &Path, command: &[String]) -> Self {
        let log = std::fs::File::options().create(true).append(true).open(folder.join("log"));
        let log = log.and_then(|log| Ok((log.try_clone()?, log))).unwrap_or_else(|error| panic!("the log: {error}"));
        let child = Command::new("sh")
            .args(["-c", SCRIPT, "guard"])
            .arg(folder)
            .args(command)
            .stdin(Stdio::piped())
            .stdout(log.0)
            .stderr(log.1)
            .spawn();
        Guard(child.unwrap_or_else(|error| panic!("sh: {error}")))
    }

    /// Ends the server and leaves its folder.
    pub(crate) fn stop(mut self) {
        if let Some(mut stdin) = self.0.stdin.take() {
            // A guard that is gone has stopped its server already.
            let _ = stdin.write_all(b"stop\n");
        }
        let _ = self.0.wait();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
