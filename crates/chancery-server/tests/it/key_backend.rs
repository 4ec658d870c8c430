//! A place outside of the database that keeps keys, which a test can put out of order.

use std::{
    collections::HashMap,
    future::ready,
    sync::{Arc, Mutex},
};

use chancery_core::{KeyBackend, create_root_key};
use chancery_keys::{
    Answer, Cause, Custodian, CustodyError, Input, KeyHandle, KeyRef, RootKeySource, RsaBatch, SignatureScheme,
    SigningKey,
};
use chancery_testkit::temp_dir;

/// What is wrong with it.
pub(crate) type Trouble = fn(Cause) -> CustodyError;

/// Keys in this process, which no database has.
pub(crate) struct TestBackend {
    custodian: Custodian,
    keys: Mutex<HashMap<KeyRef, SigningKey>>,
    trouble: Mutex<Option<Trouble>>,
}

impl TestBackend {
    pub(crate) fn new() -> Arc<Self> {
        let folder = temp_dir();
        let root_key = folder.path().join("root.key");
        create_root_key(&root_key).unwrap();
        let custodian = Custodian::new(RootKeySource::File(root_key).load().unwrap()).unwrap();
        Arc::new(Self { custodian, keys: Mutex::default(), trouble: Mutex::default() })
    }

    /// From here on nothing works, for this reason; or everything does.
    pub(crate) fn set(&self, trouble: Option<Trouble>) {
        *self.trouble.lock().unwrap() = trouble;
    }

    fn check(&self) -> Result<(), CustodyError> {
        self.trouble.lock().unwrap().map_or(Ok(()), |trouble| Err(trouble("as a test".into())))
    }

    fn make(&self, key: KeyRef) -> Result<Vec<u8>, CustodyError> {
        self.check()?;
        let made = self.custodian.generate(key).unwrap();
        self.keys.lock().unwrap().insert(key, self.custodian.open_signing_key(&made.sealed, RsaBatch::Never).unwrap());
        Ok(made.public_key.unwrap())
    }

    fn signature(&self, key: KeyRef, scheme: SignatureScheme, input: Input<'_>) -> Result<Vec<u8>, CustodyError> {
        self.check()?;
        Ok(self.keys.lock().unwrap()[&key].sign(scheme, input).unwrap())
    }
}

impl KeyBackend for TestBackend {
    fn name(&self) -> &'static str {
        "test"
    }

    fn generate(&self, key: &KeyHandle) -> Answer<'_, Vec<u8>> {
        Box::pin(ready(self.make(key.key)))
    }

    fn sign(&self, key: &KeyHandle, scheme: SignatureScheme, input: Input<'_>) -> Answer<'_, Vec<u8>> {
        Box::pin(ready(self.signature(key.key, scheme, input)))
    }

    fn signs_at_once(&self) -> usize {
        2
    }
}
