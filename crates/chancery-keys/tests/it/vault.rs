//! The vault's hashes and seals.

use chancery_keys::{
    AesSize, Custodian, DataError, KeyRef, KeySpec, Purpose, SealedKey, VAULT_HASH_LEN, VaultIndex, VaultSeal,
};
use chancery_types::KeyId;

use crate::custody::{custodian, key_ref};

const VAULT: [u8; 16] = [1; 16];
const OTHER: [u8; 16] = [2; 16];
const ROW: [u8; VAULT_HASH_LEN] = [3; 16];

fn index(custodian: &Custodian, vault: [u8; 16], key: u128) -> VaultIndex {
    custodian.vault_index(&vault, KeyId::from_u128(key)).unwrap()
}

#[test]
fn hashes_tell_root_keys_vaults_keys_and_kinds_apart() {
    let one = custodian();
    let hash = index(&one, VAULT, 1).token("4111");
    assert_eq!(hash, index(&one, VAULT, 1).token("4111"));
    assert_ne!(hash, index(&one, VAULT, 1).token("4112"));
    assert_ne!(hash, index(&one, VAULT, 1).message("4111"));
    assert_ne!(hash, index(&one, OTHER, 1).token("4111"));
    assert_ne!(hash, index(&one, VAULT, 2).token("4111"));
    assert_ne!(hash, index(&custodian(), VAULT, 1).token("4111"));
}

fn seal(custodian: &Custodian, sealed: &SealedKey, vault: [u8; 16]) -> VaultSeal {
    custodian.open_data_key(sealed).unwrap().vault_seal(&vault).unwrap()
}

#[test]
fn a_row_opens_where_it_was_sealed_only() {
    let custodian = custodian();
    for size in [AesSize::Bits128, AesSize::Bits192, AesSize::Bits256] {
        let key = key_ref(Purpose::Data, KeySpec::Aes(size));
        let stored = custodian.generate(key).unwrap().sealed;
        let ours = seal(&custodian, &stored, VAULT);
        let sealed = ours.seal(&ROW, b"message").unwrap();
        assert_eq!(sealed.len(), b"message".len() + 40);
        assert_eq!(seal(&custodian, &stored, VAULT).open(&ROW, &sealed).unwrap()[..], b"message"[..]);
        assert!(ours.open(&[4; VAULT_HASH_LEN], &sealed).is_err(), "another row");
        assert!(seal(&custodian, &stored, OTHER).open(&ROW, &sealed).is_err(), "another vault");
        let next = custodian.generate(KeyRef { version: 2, ..key }).unwrap().sealed;
        assert!(seal(&custodian, &next, VAULT).open(&ROW, &sealed).is_err(), "another version");
        for place in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[place] ^= 1;
            assert!(ours.open(&ROW, &altered).is_err(), "byte {place}");
            assert!(ours.open(&ROW, &sealed[..place]).is_err(), "{place} bytes");
        }
        assert_ne!(ours.seal(&ROW, b"message").unwrap(), sealed, "equal rows cannot be seen to be equal");
    }
}

#[test]
fn keys_for_codes_seal_no_vault() {
    let custodian = custodian();
    let key = custodian.generate(key_ref(Purpose::Data, KeySpec::Hmac256)).unwrap().sealed;
    let refusal = custodian.open_data_key(&key).unwrap().vault_seal(&VAULT).err();
    assert!(matches!(refusal, Some(DataError::NotOffered { .. })), "{refusal:?}");
}
