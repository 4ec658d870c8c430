//! A relay that takes every mail and keeps it, for tests that need the codes in them: the last mail to each address is a
//! file of its name.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
};

pub(crate) struct Relay {
    port: u16,
    folder: PathBuf,
}

impl Relay {
    /// Listens until the test ends, and keeps mails in `mails` of this folder.
    pub(crate) fn listen(folder: &Path) -> Self {
        let folder = folder.join("mails");
        fs::create_dir(&folder).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, kept) = (listener.local_addr().unwrap().port(), folder.clone());
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let folder = kept.clone();
                // A server that is killed in the midst of a mail is no failure of the relay's.
                thread::spawn(move || take(&connection, &folder).is_ok());
            }
        });
        Self { port, folder }
    }

    /// What makes a server send by it.
    pub(crate) fn arguments(&self) -> [String; 8] {
        let port = self.port.to_string();
        [
            "--smtp-host",
            "127.0.0.1",
            "--smtp-port",
            &port,
            "--smtp-tls",
            "none",
            "--smtp-from",
            "chancery@kms.example.org",
        ]
        .map(str::to_owned)
    }

    /// Where mails are kept.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The code that was mailed last to an address.
    pub(crate) fn code(&self, address: &str) -> String {
        let mail = fs::read_to_string(self.folder.join(address)).unwrap();
        mail.lines().find_map(|line| line.strip_prefix("    ")).unwrap().to_owned()
    }
}

/// One connection, in as much of RFC 5321 as a client needs.
fn take(mut connection: &TcpStream, folder: &Path) -> std::io::Result<()> {
    connection.write_all(b"220 relay.test\r\n")?;
    let mut lines = BufReader::new(connection.try_clone()?).lines();
    let mut to = String::new();
    while let Some(line) = lines.next() {
        let line = line?;
        if let Some(address) = line.strip_prefix("RCPT TO:<") {
            to = address.split('>').next().unwrap_or_default().to_owned();
        }
        if line == "DATA" {
            connection.write_all(b"354 go on\r\n")?;
            let mut mail = String::new();
            for line in lines.by_ref() {
                let line = line?;
                if line == "." {
                    break;
                }
                mail += &line;
                mail.push('\n');
            }
            // Whole or not at all: somebody may read it just now.
            let fresh = folder.join(format!(".new-{}", connection.peer_addr()?.port()));
            fs::write(&fresh, mail)?;
            fs::rename(fresh, folder.join(&to))?;
        }
        connection.write_all(if line == "QUIT" { b"221 bye\r\n" } else { b"250 taken\r\n" })?;
    }
    Ok(())
}
