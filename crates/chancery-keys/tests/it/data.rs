//! Data keys: each does what its kind offers, and the same after it was sealed and opened again.

use chancery_keys::{AesSize, DataError, DataKey, KeySpec, Purpose, ff1::Alphabet};

use crate::custody::{custodian, key_ref};

/// The same key, opened twice.
fn opened_twice(spec: KeySpec) -> [DataKey; 2] {
    let custodian = custodian();
    let new = custodian.generate(key_ref(Purpose::Data, spec)).unwrap();
    assert_eq!(new.public_key, None);
    [(); 2].map(|()| custodian.open_data_key(&new.sealed).unwrap())
}

const AES: [KeySpec; 3] =
    [KeySpec::Aes(AesSize::Bits128), KeySpec::Aes(AesSize::Bits192), KeySpec::Aes(AesSize::Bits256)];

#[test]
fn ff1_of_digits_and_text_agree_and_are_undone() {
    for spec in AES {
        let [one, other] = opened_twice(spec);
        let mut digits = [4, 1, 1, 1, 1, 1, 1, 1];
        one.ff1(10).unwrap().encrypt(b"tweak", &mut digits).unwrap();
        let mut text = *b"41111111";
        one.ff1_text(&Alphabet::DECIMAL).unwrap().encrypt(b"tweak", &mut text).unwrap();
        assert_eq!(text.map(|symbol| u16::from(symbol - b'0')), digits, "{spec}");
        other.ff1_text(&Alphabet::DECIMAL).unwrap().decrypt(b"tweak", &mut text).unwrap();
        assert_eq!(&text, b"41111111", "{spec}");
    }
}

#[test]
fn hmac_is_the_same_for_the_same_key_only() {
    let [one, same] = opened_twice(KeySpec::Hmac256).map(|key| key.hmac_sha_256().unwrap());
    let [other, _] = opened_twice(KeySpec::Hmac256).map(|key| key.hmac_sha_256().unwrap());
    assert_eq!(one.code(&[b"value"]), same.code(&[b"val", b"ue"]));
    assert_ne!(one.code(&[b"value"]), other.code(&[b"value"]));
}

#[test]
fn xaes_opens_what_the_same_key_sealed() {
    let [one, same] = opened_twice(KeySpec::Aes(AesSize::Bits256)).map(|key| key.xaes_256_gcm().unwrap());
    let nonce = chancery_keys::random();
    let mut message = b"4111".to_vec();
    one.seal(&nonce, b"row", &mut message).unwrap();
    same.open(&nonce, b"row", &mut message).unwrap();
    assert_eq!(message, b"4111");
}

#[test]
fn an_operation_of_another_kind_is_refused() {
    let [hmac, _] = opened_twice(KeySpec::Hmac256);
    let not_offered = |spec, operation| Some(DataError::NotOffered { spec, operation });
    assert_eq!(hmac.ff1(10).err(), not_offered(KeySpec::Hmac256, "FF1"));
    assert_eq!(hmac.ff1_text(&Alphabet::DECIMAL).err(), not_offered(KeySpec::Hmac256, "FF1"));
    assert_eq!(hmac.xaes_256_gcm().err(), not_offered(KeySpec::Hmac256, "XAES-256-GCM"));
    for spec in AES {
        let [aes, _] = opened_twice(spec);
        assert_eq!(aes.hmac_sha_256().err(), not_offered(spec, "HMAC-SHA-256"));
        assert_eq!(aes.xaes_256_gcm().is_ok(), spec == KeySpec::Aes(AesSize::Bits256), "{spec}");
        assert!(matches!(aes.ff1(1).err(), Some(DataError::Ff1(_))));
    }
}
