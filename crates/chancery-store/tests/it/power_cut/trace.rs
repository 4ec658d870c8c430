//! What a process did to the files of a folder, from a trace of its system calls.

use std::collections::HashMap;
use std::path::Path;

use chancery_testkit::Tool;

/// One step, in the order in which they ended.
pub(super) enum Event {
    /// A file that was not there before.
    Made(String),
    Removed(String),
    Wrote {
        name: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Cut {
        name: String,
        len: usize,
    },
    /// A flush, of the folder itself where there is no name. Whatever was written before this began is on the disk.
    Flushed {
        name: Option<String>,
        began: usize,
    },
    /// A line on standard error: what somebody was answered.
    Told(String),
}

/// The calls that can change files, or flush them. Files of other names than these calls' are told by a panic.
const CALLS: &str = "trace=openat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,pwrite64,pwritev,pwritev2,write,\
                     writev,ftruncate,truncate,fallocate,fdatasync,fsync,sync_file_range,copy_file_range,sendfile";

/// Runs a test of this program that is ignored otherwise. Flushes take some milliseconds, as on a disk.
pub(super) fn record(folder: &Path, test: &str, environment: &[(&str, &str)]) -> Vec<Event> {
    let trace = folder.with_extension("trace");
    let ran = Tool::new("strace")
        .args(["-f", "-y", "-xx", "-s", "16777216", "--seccomp-bpf", "-e", CALLS])
        .args(["-e", "inject=fdatasync:delay_exit=2000", "-o"])
        .arg(&trace)
        .arg("env")
        .args(environment.iter().map(|(name, value)| format!("{name}={value}")))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--nocapture"])
        .try_run();
    assert!(ran.status.success(), "{}\n{}", ran.text(), ran.stderr);
    let text = std::fs::read(&trace).unwrap();
    std::fs::remove_file(&trace).unwrap();
    Reader { folder: folder.to_str().unwrap(), ..Reader::default() }.events(&text)
}

/// Reads a trace.
#[derive(Default)]
struct Reader<'t> {
    folder: &'t str,
    /// Calls that have begun: which, with its arguments, and the events before it.
    begun: HashMap<&'t [u8], (&'t [u8], usize)>,
    /// Files that are there.
    names: Vec<String>,
    events: Vec<Event>,
}

impl<'t> Reader<'t> {
    fn events(mut self, text: &'t [u8]) -> Vec<Event> {
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let space = line.iter().position(|byte| *byte == b' ').unwrap();
            let (thread, call) = (&line[..space], line[space..].trim_ascii());
            if let Some(begun) = call.strip_suffix(b"<unfinished ...>") {
                self.begun.insert(thread, (begun, self.events.len()));
            } else if let Some(resumed) = call.strip_prefix(b"<... ") {
                if let Some((call, began)) = self.begun.remove(thread) {
                    self.ended(call, resumed, began);
                }
            } else if !call.starts_with(b"+++") && !call.starts_with(b"---") {
                self.ended(call, call, self.events.len());
            }
        }
        self.events
    }

    /// A call that has ended; its arguments and its result may stand in two lines.
    fn ended(&mut self, call: &[u8], end: &[u8], began: usize) {
        let result = end.rsplit(|byte| *byte == b'=').next().unwrap().trim_ascii();
        let (which, arguments) = split(call, b'(').unwrap();
        if result.starts_with(b"-1") {
            return;
        }
        let (first, rest) = split(arguments, b',').unwrap_or((arguments, b""));
        match which {
            b"openat" => {
                let is_emptied = rest.windows(7).any(|word| word == b"O_TRUNC");
                assert!(!is_emptied || self.opened(result).is_none(), "opened and truncated");
                if let Some(name) = self.opened(result).filter(|name| !self.names.contains(name)) {
                    self.names.push(name.clone());
                    self.events.push(Event::Made(name));
                }
            }
            b"unlink" => self.removed(first),
            b"unlinkat" => self.removed(split(rest, b',').unwrap().0),
            b"write" if first.starts_with(b"2<") => {
                let text = String::from_utf8(quoted(rest)).unwrap();
                self.events.extend(text.lines().map(|line| Event::Told(line.to_owned())));
            }
            b"pwrite64" | b"write" => {
                let Some(name) = self.opened(first) else { return };
                assert_eq!(which, b"pwrite64", "{name} is written without a place");
                let (bytes, numbers) = (quoted(rest), &rest[rest.iter().rposition(|byte| *byte == b'"').unwrap()..]);
                let at = numbers.split(|byte| *byte == b',').nth(2).unwrap();
                assert_eq!(number(result), bytes.len(), "all was written");
                self.events.push(Event::Wrote { name, at: number(at), bytes });
            }
            b"ftruncate" => {
                let Some(name) = self.opened(first) else { return };
                self.events.push(Event::Cut { name, len: number(rest) });
            }
            b"fdatasync" | b"fsync" => {
                let path = path_of(first);
                if path == self.folder {
                    self.events.push(Event::Flushed { name: None, began });
                } else if let Some(name) = self.opened(first) {
                    self.events.push(Event::Flushed { name: Some(name), began });
                }
            }
            other => {
                let (other, is_ours) = (String::from_utf8_lossy(other), unescaped(arguments));
                let is_ours = String::from_utf8_lossy(&is_ours).contains(self.folder);
                assert!(!is_ours, "{other} is something that this test does not know");
            }
        }
    }

    /// The name of an open file in the folder, if it has one still.
    fn opened(&self, file: &[u8]) -> Option<String> {
        let is_removed = file.windows(9).any(|word| word == b"(deleted)");
        if is_removed { None } else { self.named(&path_of(file)) }
    }

    fn named(&self, path: &str) -> Option<String> {
        let name = path.strip_prefix(self.folder)?.strip_prefix('/')?;
        // The index of the log is in memory only: it is made anew after a cut.
        (!name.ends_with("-shm")).then(|| name.to_owned())
    }

    fn removed(&mut self, path: &[u8]) {
        let path = String::from_utf8(quoted(path)).unwrap();
        if let Some(name) = self.named(&path) {
            self.names.retain(|known| *known != name);
            self.events.push(Event::Removed(name));
        }
    }
}

fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().position(|byte| *byte == at)?;
    Some((&text[..place], &text[place + 1..]))
}

fn number(text: &[u8]) -> usize {
    let digits: Vec<u8> = text.trim_ascii().iter().copied().take_while(u8::is_ascii_digit).collect();
    String::from_utf8(digits).unwrap().parse().unwrap()
}

/// `3<PATH>`.
fn path_of(file: &[u8]) -> String {
    let path = split(file, b'<').and_then(|(_, rest)| split(rest, b'>')).map_or(&b""[..], |(path, _)| path);
    String::from_utf8(unescaped(path)).unwrap()
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let begin = text.iter().position(|byte| *byte == b'"').unwrap() + 1;
    let end = text.iter().rposition(|byte| *byte == b'"').unwrap();
    unescaped(&text[begin..end])
}

/// `\x61\x62`; what is not so stands for itself.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let digit = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    loop {
        rest = match rest {
            [b'\\', b'x', high, low, rest @ ..] => {
                bytes.push(digit(*high) << 4 | digit(*low));
                rest
            }
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
            [] => return bytes,
        };
    }
}
