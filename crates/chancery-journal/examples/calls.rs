//! What `cargo xtask bench` measures the journal by: calls that are appended in a loop and nothing else.
//!
//! `calls VALUES COUNT FOLDER` appends so many calls of so many values each, waits until all that is done with full
//! segments is done, and prints the nanoseconds of processor time of each value: of the thread that appends, and of the
//! process.
#![expect(clippy::print_stdout, reason = "it is a program for the terminal")]

use std::{
    env,
    error::Error,
    fs,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use chancery_journal::{Call, Journal, Keys, NewKey, Options, TAG_LEN, View};
use chancery_keys::{Custodian, JournalKey, KeyRef, KeySpec, Purpose, RootKey, SealedKey, random};
use chancery_types::KeyId;
use uuid::Uuid;

type Failure = Box<dyn Error + Send + Sync>;

/// As the server's.
const SEGMENT_BYTES: usize = 16 * 1024 * 1024;
/// Tokens at least.
const POOL: usize = 20_000;
/// Makes ids of requests that have nothing in common.
const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
/// Digits of a token.
const LENGTH: usize = 16;

fn main() -> Result<(), Failure> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [values, count, folder] = arguments.as_slice() else { return Err("VALUES COUNT FOLDER".into()) };
    let (values, count, folder) = (values.parse::<usize>()?, count.parse::<u64>()?, PathBuf::from(folder));
    fs::create_dir_all(&folder)?;
    let keys = OwnKeys(Custodian::new(RootKey::create_file(&folder.join("root.key"))?)?);
    let options = Options {
        folder: folder.join("journal"),
        segment_bytes: SEGMENT_BYTES,
        keep_ms: i64::MAX,
        steady: Duration::ZERO,
        now_ms: Arc::new(now_ms),
    };
    let journal = Journal::open(options, &keys)?.journal;
    // So many different ones that no compression finds them again.
    let calls = (POOL / values).max(1);
    let tokens: String = (0..calls * values).map(|number| format!("{number:0LENGTH$}")).collect();
    touch(&folder.join("pages"), count * (values * TAG_LEN) as u64)?;
    let before = cpu_ns("/proc/self/task")?;
    let own_before = on_cpu_ns(Path::new("/proc/thread-self"))?;
    for number in 0..count {
        let at = number as usize % calls * values * LENGTH;
        let tags = journal.tags_of_even(&tokens[at..at + values * LENGTH], LENGTH, values);
        let record = journal.append(&call(u128::from(number).wrapping_mul(SPREAD), values, tags))?;
        std::hint::black_box(record);
    }
    let own = on_cpu_ns(Path::new("/proc/thread-self"))? - own_before;
    wait_for_full_segments(&folder.join("journal"), journal.head().segment)?;
    let all = cpu_ns("/proc/self/task")? - before;
    let each = |ns: u64| ns as f64 / (count * values as u64) as f64;
    println!("{} {}", each(own), each(all));
    Ok(())
}

/// Writes so many bytes and removes them. A virtual machine gets each page from its host when it is touched first. That takes
/// longer than all that the journal does with a page, and is charged to whoever touches it; what has run for a while has
/// touched them all.
fn touch(file: &Path, bytes: u64) -> Result<(), Failure> {
    std::io::copy(&mut std::io::repeat(1).take(bytes), &mut fs::File::create(file)?)?;
    Ok(fs::remove_file(file)?)
}

fn now_ms() -> i64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as i64)
}

fn call(request: u128, values: usize, tags: Vec<u8>) -> Call<'static> {
    Call {
        time_ms: now_ms(),
        request,
        session: Uuid::from_u128(1),
        source: [192, 0, 2, 1].into(),
        profile: Uuid::from_u128(2),
        key_version: 1,
        first: 0,
        total: values as u32,
        view: View::None,
        members: vec![Uuid::from_u128(3)],
        action: "Tokenize",
        outcome: "Success",
        tags,
    }
}

/// Until the one that is written is the only one that is not done with.
fn wait_for_full_segments(folder: &Path, live: u64) -> Result<(), Failure> {
    loop {
        let mut raw = 0;
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().into_string().unwrap_or_default();
            raw += u64::from(
                name.strip_suffix(".journal")
                    .is_some_and(|number| number.parse::<u64>().is_ok_and(|number| number < live)),
            );
        }
        if raw == 0 {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// How long these threads have run on a processor; what others on the machine do does not count.
fn cpu_ns(tasks: &str) -> Result<u64, Failure> {
    fs::read_dir(tasks)?.map(|task| on_cpu_ns(&task?.path())).sum()
}

fn on_cpu_ns(task: &Path) -> Result<u64, Failure> {
    let text = fs::read_to_string(task.join("schedstat"))?;
    Ok(text.split(' ').next().unwrap_or_default().parse()?)
}

/// Keys under a root key of this run.
struct OwnKeys(Custodian);

fn reference(id: Uuid) -> KeyRef {
    KeyRef { id: KeyId::from(id), version: 1, purpose: Purpose::Journal, spec: KeySpec::Hmac256 }
}

impl Keys for OwnKeys {
    fn make(&self) -> Result<NewKey, Failure> {
        let id = Uuid::from_bytes(random());
        let sealed = self.0.generate(reference(id))?.sealed;
        let key = self.0.open_journal_key(&sealed)?;
        Ok(NewKey { id, sealed: sealed.into_bytes(), key })
    }

    fn open(&self, id: Uuid, sealed: &[u8]) -> Result<JournalKey, Failure> {
        Ok(self.0.open_journal_key(&SealedKey::from_parts(reference(id), sealed.to_vec()))?)
    }
}
