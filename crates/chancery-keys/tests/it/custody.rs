//! Sealing and opening: what was sealed opens only as what it is, where it is, under the root key it was sealed with.

use chancery_keys::{
    AesSize, Context, Custodian, GenerateError, KeyRef, KeySpec, OpenError, OtherRootKey, OwnKey, Purpose, RootKey,
    RsaBatch, SealedKey,
};
use chancery_types::{Curve, KeyId};

/// A custodian with a new root key.
pub(crate) fn custodian() -> Custodian {
    let directory = tempfile::tempdir().unwrap();
    Custodian::new(RootKey::create_file(&directory.path().join("root.key")).unwrap()).unwrap()
}

pub(crate) fn key_ref(purpose: Purpose, spec: KeySpec) -> KeyRef {
    KeyRef { id: KeyId::from_random(chancery_keys::random()), version: 1, purpose, spec }
}

const AES: KeySpec = KeySpec::Aes(AesSize::Bits256);

#[test]
fn every_kind_opens_for_its_purpose() {
    let custodian = custodian();
    for spec in KeySpec::ALL.iter().copied() {
        for purpose in [
            Purpose::Sign,
            Purpose::Data,
            Purpose::Bearer,
            Purpose::Log,
            Purpose::Ledger,
            Purpose::Rows,
            Purpose::Journal,
            Purpose::Transport,
        ] {
            let new = custodian.generate(key_ref(purpose, spec));
            if !spec.fits(purpose) {
                assert_eq!(new.err(), Some(GenerateError::Unfit { spec, purpose }));
                continue;
            }
            let new = new.unwrap();
            match purpose {
                Purpose::Sign => {
                    let key = custodian.open_signing_key(&new.sealed, RsaBatch::Never).unwrap();
                    assert_eq!(Some(key.public_key_spki()), new.public_key.as_deref());
                }
                Purpose::Data => assert_eq!(custodian.open_data_key(&new.sealed).unwrap().key(), new.sealed.key()),
                Purpose::Bearer => assert_eq!(custodian.open_bearer_key(&new.sealed).unwrap().key(), new.sealed.key()),
                Purpose::Rows => {
                    let key = custodian.open_row_key(&new.sealed).unwrap();
                    assert!(key.verify(b"row", &key.tag(b"row")));
                }
                Purpose::Log => {
                    assert_eq!(custodian.open_own_key(&new.sealed, OwnKey::Log).unwrap().key(), new.sealed.key())
                }
                Purpose::Ledger => {
                    assert_eq!(custodian.open_own_key(&new.sealed, OwnKey::Ledger).unwrap().key(), new.sealed.key());
                }
                Purpose::Journal => {
                    let key = custodian.open_journal_key(&new.sealed).unwrap();
                    assert_ne!(key.tag(b"token"), key.tag(b"another"));
                }
                Purpose::Transport => {
                    assert_eq!(custodian.open_own_key(&new.sealed, OwnKey::Transport).unwrap().key(), new.sealed.key());
                }
            }
        }
    }
}

#[test]
fn a_seal_binds_id_version_purpose_and_kind() {
    let custodian = custodian();
    let key = key_ref(Purpose::Data, KeySpec::Hmac256);
    let sealed = custodian.generate(key).unwrap().sealed;
    let moved_to = |key: KeyRef| {
        let moved = SealedKey::from_parts(key, sealed.as_bytes().to_vec());
        match key.purpose {
            Purpose::Bearer => custodian.open_bearer_key(&moved).err(),
            Purpose::Data
            | Purpose::Sign
            | Purpose::Log
            | Purpose::Ledger
            | Purpose::Rows
            | Purpose::Journal
            | Purpose::Transport => custodian.open_data_key(&moved).err(),
        }
    };
    assert_eq!(moved_to(key), None);
    assert_eq!(moved_to(KeyRef { id: KeyId::from_random(chancery_keys::random()), ..key }), Some(OpenError::Broken));
    assert_eq!(moved_to(KeyRef { version: 2, ..key }), Some(OpenError::Broken));
    assert_eq!(moved_to(KeyRef { purpose: Purpose::Bearer, ..key }), Some(OpenError::Broken));
    assert_eq!(moved_to(KeyRef { spec: AES, ..key }), Some(OpenError::Broken));
}

#[test]
fn a_key_opens_for_no_other_purpose() {
    let custodian = custodian();
    let sealed = custodian.generate(key_ref(Purpose::Bearer, KeySpec::Hmac256)).unwrap().sealed;
    assert_eq!(
        custodian.open_data_key(&sealed).err(),
        Some(OpenError::Purpose { expected: Purpose::Data, found: Purpose::Bearer })
    );
    assert_eq!(
        custodian.open_signing_key(&sealed, RsaBatch::Never).err(),
        Some(OpenError::Purpose { expected: Purpose::Sign, found: Purpose::Bearer })
    );
}

#[test]
fn every_changed_byte_breaks_the_seal() {
    let custodian = custodian();
    let sealed = custodian.generate(key_ref(Purpose::Data, AES)).unwrap().sealed;
    for position in 0..sealed.as_bytes().len() {
        let mut bytes = sealed.as_bytes().to_vec();
        bytes[position] ^= 1;
        let expected = match position {
            0 => OpenError::Format,
            1..=8 => OpenError::OtherRootKey,
            _ => OpenError::Broken,
        };
        let changed = SealedKey::from_parts(*sealed.key(), bytes);
        assert_eq!(custodian.open_data_key(&changed).err(), Some(expected), "byte {position}");
    }
    for len in 0..sealed.as_bytes().len() {
        let cut = SealedKey::from_parts(*sealed.key(), sealed.as_bytes()[..len].to_vec());
        let expected = if len < 1 + 8 + 12 + 16 { OpenError::Format } else { OpenError::Broken };
        assert_eq!(custodian.open_data_key(&cut).err(), Some(expected), "{len} bytes");
    }
}

#[test]
fn another_root_key_opens_nothing_and_is_told_at_start() {
    let (one, other) = (custodian(), custodian());
    let sealed = one.generate(key_ref(Purpose::Data, AES)).unwrap().sealed;
    assert_eq!(other.open_data_key(&sealed).err(), Some(OpenError::OtherRootKey));
    assert_eq!(one.expect_root_key(one.root_key_id()), Ok(()));
    assert_eq!(other.expect_root_key(one.root_key_id()), Err(OtherRootKey));
}

/// Whoever forges the header still has no key for what follows.
#[test]
fn a_forged_root_key_id_does_not_help() {
    let (one, other) = (custodian(), custodian());
    let sealed = one.generate(key_ref(Purpose::Data, AES)).unwrap().sealed;
    let mut bytes = sealed.as_bytes().to_vec();
    bytes[1..9].copy_from_slice(other.root_key_id().as_bytes());
    let forged = SealedKey::from_parts(*sealed.key(), bytes);
    assert_eq!(other.open_data_key(&forged).err(), Some(OpenError::Broken));
}

#[test]
fn sealing_twice_gives_different_bytes() {
    let custodian = custodian();
    let context = Context { kind: "test", row: b"1" };
    assert_ne!(custodian.seal_value(context, b"x").unwrap(), custodian.seal_value(context, b"x").unwrap());
}

#[test]
fn a_value_opens_in_its_context_only() {
    let custodian = custodian();
    let context = Context { kind: "totp secret", row: b"row 1" };
    for value in [&b""[..], b"x", &[7; 1000]] {
        let sealed = custodian.seal_value(context, value).unwrap();
        assert_eq!(custodian.open_value(context, &sealed).unwrap().expose(), value);
        for other in [Context { kind: "vault message", ..context }, Context { row: b"row 2", ..context }] {
            assert_eq!(custodian.open_value(other, &sealed).err(), Some(OpenError::Broken), "{other:?}");
        }
    }
}

#[test]
fn a_ticket_opens_as_its_kind_and_whole() {
    let (one, other) = (custodian(), custodian());
    let sealed = one.seal_ticket("login", b"content").unwrap();
    assert_eq!(one.open_ticket("login", &sealed).unwrap().expose(), b"content");
    assert_ne!(sealed, one.seal_ticket("login", b"content").unwrap());
    assert_eq!(one.open_ticket("other", &sealed).err(), Some(OpenError::Broken));
    assert_eq!(other.open_ticket("login", &sealed).err(), Some(OpenError::OtherRootKey));
    for place in [0, 15, sealed.len() - 1] {
        let mut changed = sealed.clone();
        changed[place] ^= 1;
        assert_eq!(one.open_ticket("login", &changed).err(), Some(OpenError::Broken), "{place}");
    }
    for len in [0, 15, 16, 40] {
        assert_eq!(one.open_ticket("login", &sealed[..len]).err(), Some(OpenError::Format), "{len}");
    }
    // Neither is a value the other.
    let context = Context { kind: "login", row: b"" };
    assert!(one.open_value(context, &sealed[16..]).is_err());
}

#[test]
fn a_keyed_hash_depends_on_root_key_context_and_value() {
    let (one, other) = (custodian(), custodian());
    let hash = one.keyed_hash("api key", b"value");
    assert_eq!(hash, one.keyed_hash("api key", b"value"));
    assert_ne!(hash, one.keyed_hash("api key", b"valuf"));
    assert_ne!(hash, one.keyed_hash("session", b"value"));
    assert_ne!(hash, one.keyed_hash("api keyv", b"alue"));
    assert_ne!(hash, other.keyed_hash("api key", b"value"));
}

/// What is stored today must open tomorrow: a key and a value sealed when this format was made, under a root key of
/// bytes 0 to 31. The id and the keyed hash were also computed with another implementation of HKDF and HMAC.
#[test]
fn the_stored_format_is_frozen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("root.key");
    drop(RootKey::create_file(&path).unwrap());
    std::fs::write(&path, (0..32).collect::<Vec<u8>>()).unwrap();
    let custodian = Custodian::new(RootKey::from_file(&path).unwrap()).unwrap();

    assert_eq!(hex::encode(custodian.root_key_id().as_bytes()), FROZEN_ROOT_KEY_ID);
    assert_eq!(hex::encode(custodian.keyed_hash("api key", b"value")), FROZEN_KEYED_HASH);
    let context = Context { kind: "vault message", row: b"row" };
    assert_eq!(custodian.open_value(context, &hex::decode(FROZEN_VALUE).unwrap()).unwrap().expose(), b"4111");

    let key = KeyRef { id: KeyId::from_u128(7), version: 3, purpose: Purpose::Sign, spec: KeySpec::Ec(Curve::P256) };
    let sealed = SealedKey::from_parts(key, hex::decode(FROZEN_KEY).unwrap());
    let public_key = custodian.open_signing_key(&sealed, RsaBatch::Never).unwrap().public_key_spki().to_vec();
    assert_eq!(hex::encode(public_key), FROZEN_PUBLIC_KEY);
}

const FROZEN_ROOT_KEY_ID: &str = "918ecf2505091b56";
const FROZEN_KEYED_HASH: &str = "dac0abbf475d98170d77c71642f7538672485cd0c5374b40bc44c89986036f39";
const FROZEN_VALUE: &str = "01918ecf2505091b560678e498e8b1ce158f54dca9e4e8d2115a7cf27f94f893761ffc52fd801409f9";
const FROZEN_KEY: &str = "01918ecf2505091b568838c1e45c23d68b01b984b62bf4332e2f32541de8e3349ecbbeef328e10dfebc2ac4f573e89427e3b\
    07fa7addad744cceff38c0ed639b82699ba4550f993d5e3589ac99ff9bb3ceba72f5524c4cbbf27bd4bf8a5a0bba78e70ba6\
    620ff7fbf5aee66b50ac97e62c7a083e953bb907e1e5a26956a4b04997eef43061823d3bc86ae2bab1d21307d42ea0bf43f1\
    e44613d29d7e7a7059ac15a277bfb059246f7d5e7bc9ca7ad1";
const FROZEN_PUBLIC_KEY: &str = "3059301306072a8648ce3d020106082a8648ce3d03010703420004f898baed330b561079da462a5495a1b72ab32a51bd28c8\
    aaa62c99e06b419cae34842d8ab3e3ff36cd21096f3688e2bd0bed2de33d9d341f61596bfe1fc49756";
