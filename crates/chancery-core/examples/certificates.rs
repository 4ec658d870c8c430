//! Fills an installation's inventory: `cargo run --release -p chancery-core --example certificates -- FILE-OR-ADDRESS
//! ROOT-KEY-FILE TEMPLATE-UUID COUNT`. Each certificate is the template's, issued by the same
//! authority, with a name, a serial number and an end of its own; only its signature is no longer right. Prints some of
//! them: uuid, serial number and name.
//!
//! For measurements: what a million certificates cost, without issuing them one by one.

#![expect(clippy::print_stdout, reason = "it is a program for the terminal")]

use std::{path::PathBuf, sync::Arc};

use chancery_keys::{Custodian, KeyRef, KeySpec, Purpose, RootKeySource, RowKey, SealedKey};
use chancery_store::{
    NewRowKey, RowKeyError, RowKeys, RowMac, SealedRowKey, Store, StoreError, TAG_LEN,
    tables::{
        audit::Record,
        bearer_keys,
        certificates::{self, Row},
    },
};
use uuid::{Builder, Uuid};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Certificates of one work.
const TOGETHER: u64 = 500;

/// Works under way.
const WORKS: u64 = 8;

/// Certificates that are printed.
const SAMPLES: u64 = 1_000;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, root_key, template, count] = arguments.as_slice() else {
        return Err("FILE-OR-ADDRESS ROOT-KEY-FILE TEMPLATE-UUID COUNT".into());
    };
    let custodian = Custodian::new(RootKeySource::File(PathBuf::from(root_key)).load()?)?;
    let store = Store::open(&url.parse()?, Arc::new(Keys(custodian))).await?;
    let (template, count): (Uuid, u64) = (template.parse()?, count.parse()?);
    let template = store.read(move |tx| Box::pin(certificates::by_id(tx, template))).await?;
    let template = template.ok_or("there is no such certificate")?;
    let works: Vec<_> =
        (0..WORKS).map(|work| tokio::spawn(fill(store.clone(), template.clone(), work, count))).collect();
    for work in works {
        work.await??;
    }
    let step = (count / SAMPLES).max(1);
    for number in (0..count).step_by(usize::try_from(step)?) {
        let Row { id, serial, name, .. } = numbered(&template, number);
        println!("{id} {serial} {name}");
    }
    Ok(())
}

/// Opens the installation's own key for rows; it makes none.
struct Keys(Custodian);

impl RowKeys for Keys {
    fn make(&self, _: &[bearer_keys::Row]) -> Result<NewRowKey, RowKeyError> {
        Err(RowKeyError::Custody("there is no installation in this store".into()))
    }

    fn open(&self, key: &SealedRowKey) -> Result<Arc<dyn RowMac>, RowKeyError> {
        let reference = KeyRef { id: key.id.into(), version: 1, purpose: Purpose::Rows, spec: KeySpec::Hmac256 };
        let sealed = SealedKey::from_parts(reference, key.sealed.clone());
        let key = self.0.open_row_key(&sealed).map_err(|failure| RowKeyError::Custody(failure.into()))?;
        Ok(Arc::new(Mac(key)))
    }

    fn record(&self, _: &[(&'static str, u64)]) -> Result<Record, RowKeyError> {
        Err(RowKeyError::Custody("the installation is older than this program".into()))
    }
}

struct Mac(RowKey);

impl RowMac for Mac {
    fn tag(&self, row: &[u8]) -> [u8; TAG_LEN] {
        self.0.tag(row)
    }

    fn verify(&self, row: &[u8], tag: &[u8]) -> bool {
        self.0.verify(row, tag)
    }
}

/// Every [`WORKS`]th chunk.
async fn fill(store: Store, template: Row, work: u64, count: u64) -> Result<(), StoreError> {
    let mut first = work * TOGETHER;
    while first < count {
        let (template, last) = (template.clone(), (first + TOGETHER).min(count));
        store
            .write(move |tx| {
                Box::pin(async move {
                    for number in first..last {
                        certificates::insert(tx, &numbered(&template, number)).await?;
                    }
                    Ok::<_, StoreError>(())
                })
            })
            .await?;
        first += WORKS * TOGETHER;
    }
    Ok(())
}

/// The certificate with this number; always the same one.
fn numbered(template: &Row, number: u64) -> Row {
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut serial = [0; 20];
    for part in serial.chunks_mut(8) {
        random = mixed(random);
        part.copy_from_slice(&random.to_be_bytes()[..part.len()]);
    }
    serial[0] = serial[0] & 0x3f | 0x40;
    let name = format!("host-{number:07}.seed.example");
    let hex: String = serial.iter().map(|byte| format!("{byte:02X}")).collect();
    let der = replaced(&template.der, &from_hex(&template.serial), &serial);
    let der = replaced(&der, template.name.as_bytes(), name.as_bytes());
    // Ends are spread over a year, and certificates were made one a second.
    let not_after_s =
        template.not_before_s + 86_400 + i64::try_from(mixed(random) % (364 * 86_400)).unwrap_or_default();
    let made_ms = u64::try_from(template.not_before_s).unwrap_or_default() * 1_000 + number;
    let mut bits = [0; 10];
    bits.copy_from_slice(&serial[..10]);
    Row {
        id: Builder::from_unix_timestamp_millis(made_ms, &bits).into_uuid(),
        name_key: name.clone(),
        subject_key: template.subject_key.replace(&template.name_key, &name),
        subject: template.subject.replace(&template.name, &name),
        name,
        serial: hex,
        not_after_s,
        key_id: None,
        der,
        ..template.clone()
    }
}

/// The finalizer of SplitMix64.
const fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).filter_map(|byte| u8::from_str_radix(text.get(2 * byte..2 * byte + 2)?, 16).ok()).collect()
}

/// The bytes with one part replaced by another of the same length.
fn replaced(bytes: &[u8], part: &[u8], by: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if part.len() == by.len()
        && let Some(at) = bytes.windows(part.len().max(1)).position(|window| window == part)
    {
        bytes[at..at + by.len()].copy_from_slice(by);
    }
    bytes
}
