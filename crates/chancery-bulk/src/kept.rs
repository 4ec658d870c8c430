//! Answers to calls that are not written yet. Where several connections are at work, calls behind a refused one may have
//! been answered, and a budget or a grant was charged for them: the run that goes on takes these answers instead of
//! asking, and paying, again.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write as _},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chancery_client::{Readers, Writers, replace_file};
use chancery_types::Base64;
use sha2::{Digest as _, Sha256};

use crate::{
    error::{BulkError, OfFile as _, Result},
    places::{is_own, remove},
};

/// A call without what it is allowed by: another grant gets the same answer. Calls and answers are shared and never
/// copied: a copy of each would cost a run of Parquet 5 % of its processor time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call {
    pub(crate) path: String,
    pub(crate) body: String,
}

pub(crate) type Key = Arc<Call>;

/// A call as files name it.
type Named = String;

/// What calls were answered, for as long as it is not written.
pub(crate) struct Kept {
    /// Where it outlasts the run; nowhere where nobody can go on with that.
    path: Option<PathBuf>,
    answers: Mutex<BTreeMap<Key, Arc<String>>>,
    /// What an earlier run has left.
    earlier: Mutex<BTreeMap<Named, String>>,
}

impl Kept {
    pub(crate) const fn new(path: Option<PathBuf>) -> Self {
        Self { path, answers: Mutex::new(BTreeMap::new()), earlier: Mutex::new(BTreeMap::new()) }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<String> {
        let earlier = locked(&self.earlier);
        // Names cost more than a call may: they are made where there is something to look for.
        if earlier.is_empty() { None } else { earlier.get(&named(key)).cloned() }
    }

    pub(crate) fn put(&self, key: &Key, answer: &Arc<String>) {
        if self.path.is_some() {
            locked(&self.answers).insert(Arc::clone(key), Arc::clone(answer));
        }
    }

    /// What is written needs not to be kept.
    pub(crate) fn release(&self, keys: &[Key]) {
        let (mut answers, mut earlier) = (locked(&self.answers), locked(&self.earlier));
        for key in keys {
            answers.remove(key);
            if !earlier.is_empty() {
                earlier.remove(&named(key));
            }
        }
    }

    /// Takes up what an interrupted run has left, or forgets it. What is no such file is somebody's own, and stays.
    pub(crate) fn load(&self, goes_on: bool) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.of(path)?,
        };
        let read = if is_own(&found) { serde_json::from_slice(&fs::read(path).of(path)?).ok() } else { None };
        let Some(answers) = read else {
            let why = "this is there already, and no interrupted run of this job has left it; remove or rename it";
            return Err(BulkError::Job(format!("{}: {why}", path.display())));
        };
        if !goes_on {
            return self.remove();
        }
        *locked(&self.earlier) = answers;
        Ok(())
    }

    /// For the run that goes on.
    pub(crate) fn save(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut all = locked(&self.earlier).clone();
        all.extend(locked(&self.answers).iter().map(|(key, answer)| (named(key), answer.as_str().to_owned())));
        if all.is_empty() {
            return self.remove();
        }
        let text = serde_json::to_vec(&all).map_err(|error| BulkError::Damaged(error.to_string()))?;
        // They are tokens, or values in clear.
        replace_file(path, Readers::Owner, Writers::One, |file| file.write_all(&text)).of(path)
    }

    pub(crate) fn remove(&self) -> Result<()> {
        self.path.as_deref().map_or(Ok(()), remove)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn named(call: &Call) -> Named {
    let digest = Sha256::new().chain_update(&call.path).chain_update("\n").chain_update(&call.body);
    Base64::encode(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_written_outlasts_the_run_and_nothing_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.part.answers");
        let of = || Kept::new(Some(path.clone()));
        let first = of();
        let [one, two] = ["1", "2"].map(|body| Key::new(Call { path: "/a".to_owned(), body: body.to_owned() }));
        first.put(&one, &Arc::new("{1}".to_owned()));
        first.put(&two, &Arc::new("{2}".to_owned()));
        first.release(std::slice::from_ref(&one));
        first.save().unwrap();
        let second = of();
        second.load(true).unwrap();
        assert_eq!((second.get(&one), second.get(&two).as_deref()), (None, Some("{2}")));
        let anew = of();
        anew.load(false).unwrap();
        assert!(anew.get(&two).is_none() && !path.exists());
        fs::write(&path, "mine").unwrap();
        assert!(of().load(false).is_err() && of().load(true).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        let nowhere = Kept::new(None);
        nowhere.put(&one, &Arc::new("{1}".to_owned()));
        assert!(nowhere.get(&one).is_none() && nowhere.save().is_ok());
    }
}
