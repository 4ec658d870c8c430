//! Keys of journals under a root key of the tests.

use std::{error::Error, sync::OnceLock};

use chancery_journal::{Keys, NewKey};
use chancery_keys::{Custodian, JournalKey, KeyRef, KeySpec, Purpose, RootKey, SealedKey, random};
use chancery_types::KeyId;
use uuid::Uuid;

pub(crate) struct TestKeys;

/// One for all processes of a test: children open what their parents made.
fn custodian() -> &'static Custodian {
    static CUSTODIAN: OnceLock<Custodian> = OnceLock::new();
    CUSTODIAN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root.key");
        match std::env::var_os("JOURNAL_TEST_ROOT_KEY") {
            Some(given) => Custodian::new(RootKey::from_file(given.as_ref()).unwrap()).unwrap(),
            None => Custodian::new(RootKey::create_file(&path).unwrap()).unwrap(),
        }
    })
}

fn reference(id: Uuid) -> KeyRef {
    KeyRef { id: KeyId::from(id), version: 1, purpose: Purpose::Journal, spec: KeySpec::Hmac256 }
}

impl Keys for TestKeys {
    fn make(&self) -> Result<NewKey, Box<dyn Error + Send + Sync>> {
        let id = Uuid::from_bytes(random());
        let sealed = custodian().generate(reference(id))?.sealed;
        let key = custodian().open_journal_key(&sealed)?;
        Ok(NewKey { id, sealed: sealed.into_bytes(), key })
    }

    fn open(&self, id: Uuid, sealed: &[u8]) -> Result<JournalKey, Box<dyn Error + Send + Sync>> {
        KeysUnder(custodian()).open(id, sealed)
    }
}

/// Keys under another root key, which makes none.
pub(crate) struct KeysUnder<'c>(pub(crate) &'c Custodian);

impl Keys for KeysUnder<'_> {
    fn make(&self) -> Result<NewKey, Box<dyn Error + Send + Sync>> {
        Err("no keys are made".into())
    }

    fn open(&self, id: Uuid, sealed: &[u8]) -> Result<JournalKey, Box<dyn Error + Send + Sync>> {
        Ok(self.0.open_journal_key(&SealedKey::from_parts(reference(id), sealed.to_vec()))?)
    }
}
