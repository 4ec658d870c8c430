//! With the test vectors of WebAuthn Level 3 (section 16), and with what a key of ours signs, changed in one place each.

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use super::*;

/// A key of an authenticator that we are ourselves.
struct Authenticator {
    pair: EcdsaKeyPair,
    public_key: Vec<u8>,
}

impl Authenticator {
    fn new() -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        // The point begins with the 4 that the beginning ends with.
        let public_key = [&cose::P256[..26], pair.public_key().as_ref()].concat();
        Self { pair, public_key }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec()
    }
}

/// 16.2, an ES256 credential without attestation.
mod none_es256 {
    pub(super) const CHALLENGE: &str = "00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130";
    pub(super) const CLIENT_DATA: &str = "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d\
        4d507434557878475453746e63647134313759447742466938767049612d7077386f4f755657345441222c226f726967696e223a226874747073\
        3a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174\
        614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e2074686520667574757265\
        2c207375636820617320746869733a20426b5165446a646354427258426941774a544c453551227d";
    pub(super) const ATTESTATION: &str = "a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad\
        6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3f\
        b63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df\
        61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220";
    pub(super) const GET_CHALLENGE: &str = "39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408";
    pub(super) const GET_DATA: &str = "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000";
    pub(super) const GET_CLIENT_DATA: &str = "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e\
        55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f\
        2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d";
    pub(super) const SIGNATURE: &str = "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd38022100848\
        0ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87";
}

/// 16.3, an ES256 credential whose user was verified; it attests itself.
mod packed_self_es256 {
    pub(super) const CHALLENGE: &str = "7869c2b772d4b58eba9378cf8f29e26cf935aa77df0da89fa99c0bdc0a76f7e5";
    pub(super) const CLIENT_DATA: &str = "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a226547\
        6e4374334c55745936366b336a506a796e6962506b31716e666644616966715a774c33417032392d55222c226f726967696e223a226874747073\
        3a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174\
        614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e2074686520667574757265\
        2c207375636820617320746869733a205539685458764b453255526b4d6e625f307859485667227d";
    pub(super) const ATTESTATION: &str = "a363666d74667061636b65646761747453746d74a263616c672663736967584630440220067a20754ab9\
        25005dbf378097c92120031581c73228d1fb4f5b881bcd7da98302207fc7b147558c7c0eba3af18bd9d121fa3d3a26d17fe3f220272178f473b6\
        006d68617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b55d00000000df850e09db6afbdf\
        ab51697791506cfc0020455ef34e2043a87db3d4afeb39bbcb6cc32df9347c789a865ecdca129cbef58ca5010203262001215820eb151c8176b2\
        25cc651559fecf07af450fd85802046656b34c18f6cf193843c5225820927b8aa427a2be1b8834d233a2d34f61f13bfd44119c325d5896e183fe\
        e484f2";
    pub(super) const CREDENTIAL_ID: &str = "455ef34e2043a87db3d4afeb39bbcb6cc32df9347c789a865ecdca129cbef58c";
}

/// 16.11, an Ed25519 credential whose statement has a certificate.
mod packed_ed25519 {
    pub(super) const ATTESTATION: &str = "a363666d74667061636b65646761747453746d74a363616c67266373696758483046022100d83f60bd80\
        269537583218858aefb03ac57d45fa06e42feaae332d187f62da9f022100a02bd3cb6f7e1d283c93bad1f3f4b5a4c0494463da7fdbf256949116\
        754d1f17637835638159022730820223308201c8a003020102021100b2cfc9ea33c8643b0e1a760463eaf164300a06082a8648ce3d0403023062\
        311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331253023060355040b0c1c41\
        757468656e74696361746f72204174746573746174696f6e204341310b30090603550406130241413020170d3234303130313030303030305a18\
        0f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a06035504\
        0a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e310b3009060355040613024141305930\
        1306072a8648ce3d020106082a8648ce3d03010703420004dd2b7a564b73b8c0b81c4c62e521925c4d1198ec9f583dbf1eebe364b65cd9c29a9b\
        df346aaa81fb6b9507e5249a52fdaf8e39e26b0b7dc45992a7e233b70f70a360305e300c0603551d130101ff04023000300e0603551d0f0101ff\
        040403020780301d0603551d0e041604140ae27546bc7eccb1b4b597bd354f0c0b1f1f8f8e301f0603551d2304183016801445aff715b0dd7867\
        41fee996ebc16547a3931b1e300a06082a8648ce3d0403020349003046022100a0d434ecb5fc3bfd7da5f41904517ad2836249f561bd834ba7a4\
        38a8ab7a4ce8022100fac845bb7a02513b58e9f319654dbe49b0f02b95835bac568c71f8a18cdde9ab6861757468446174615881bfabc3743295\
        8b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b54100000000d5aa33581e8ca478e20fe713f5d32ff20020ce9f840ed96599580c\
        d140fbc7bb3230633f50f61041aff73308ae71caa8a2bda401010327200621582044e06ddd331c36a8dc667bab52bcae63486c916aa5e339e6ac\
        ebaa84934bf832";
    pub(super) const GET_DATA: &str = "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b50100000000";
    pub(super) const GET_CLIENT_DATA: &str = "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a2269566c58\
        3442786a4f6d6d44534b4c596f7870557439736e364d48454f7943413135726947514a6e763949222c226f726967696e223a2268747470733a2f\
        2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d";
    pub(super) const SIGNATURE: &str = "f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b0\
        11f0d6fecb097d6607525713223a0dc0d453993dae00b";
}

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).unwrap()
}

fn example() -> RelyingParty {
    RelyingParty::of_origin("https://example.org").unwrap()
}

fn register(challenge: &str, client_data: &str, attestation: &str) -> Result<NewPasskey, NotGenuine> {
    let (client_data, attestation_object) = (&bytes(client_data), &bytes(attestation));
    verify_registration(&example(), &bytes(challenge), Registration { client_data, attestation_object })
}

/// The key of a registration, whatever its flags say.
fn key_of(attestation: &str) -> Vec<u8> {
    let object = bytes(attestation);
    let data = authenticator_data(&object).unwrap();
    let mut verified = data.to_vec();
    verified[32] |= 4;
    AuthenticatorData::read(&verified, &example()).unwrap().attested().unwrap().public_key
}

#[test]
fn the_registrations_of_the_standard_are_read() {
    use packed_self_es256::{ATTESTATION, CHALLENGE, CLIENT_DATA, CREDENTIAL_ID};
    let made = register(CHALLENGE, CLIENT_DATA, ATTESTATION).unwrap();
    assert_eq!((made.sign_count, made.is_backup_eligible), (SignCount(0), true));
    assert_eq!(hex::encode(&made.credential_id), CREDENTIAL_ID);
    assert_eq!(kind_of_public_key(&made.public_key), Some(KeySpec::Ec(Curve::P256)));
    assert_eq!(kind_of_public_key(&key_of(packed_ed25519::ATTESTATION)), Some(KeySpec::Ed25519));
    // In this one the user was not verified.
    let unverified = register(none_es256::CHALLENGE, none_es256::CLIENT_DATA, none_es256::ATTESTATION);
    assert_eq!(unverified, Err(NotGenuine::NotVerified));
    assert_eq!(register(none_es256::CHALLENGE, CLIENT_DATA, ATTESTATION), Err(NotGenuine::Challenge));
    assert_eq!(register(CHALLENGE, none_es256::GET_CLIENT_DATA, ATTESTATION), Err(NotGenuine::Type));
    for len in 0..ATTESTATION.len() / 2 {
        let cut = &ATTESTATION[..2 * len];
        register(CHALLENGE, CLIENT_DATA, cut).expect_err("it is cut");
    }
}

/// With the point of order 1 everybody signs: R is the point itself and S is 0.
#[test]
fn a_passkey_of_everybody_is_none() {
    let point = [&[1][..], &[0; 31]].concat();
    let spki = [&cose::ED25519[..], &point].concat();
    assert_eq!(check_passkey_key(&spki), Err(NoPasskeyKey::Weak(WeakKey::SmallOrder)));
    assert_eq!(check_passkey_key(b"none"), Err(NoPasskeyKey::Kind));
    assert_eq!(check_passkey_key(&Authenticator::new().public_key), Ok(()));
    let Made { client_data, data, .. } = Made::new();
    let (client_data, authenticator_data) = (client_data.as_bytes(), &data[..]);
    let forged = [&point[..], &[0; 32]].concat();
    // Also of a row that was there before.
    let passkey = Passkey { public_key: &spki, is_backup_eligible: Some(false) };
    let assertion = Assertion { client_data, authenticator_data, signature: &forged };
    assert_eq!(verify_assertion(&party(), &CHALLENGE, passkey, assertion), Err(NotGenuine::Signature));
}

/// None of them is of a verified user, so each is refused for that; and is good in all else.
#[test]
fn the_assertions_of_the_standard_are_verified() {
    let check = |attestation: &str, data: &str, client_data: &str, signature: &str| {
        let (public_key, data, client_data) = (key_of(attestation), bytes(data), bytes(client_data));
        let message = [&data[..], &sha256(&client_data)].concat();
        let scheme = scheme_of(&public_key).unwrap();
        verify(&public_key, scheme, Input::Message(&message), &bytes(signature)).unwrap();
    };
    {
        use none_es256::{ATTESTATION, GET_CHALLENGE, GET_CLIENT_DATA, GET_DATA, SIGNATURE};
        check(ATTESTATION, GET_DATA, GET_CLIENT_DATA, SIGNATURE);
        let (client_data, authenticator_data) = (&bytes(GET_CLIENT_DATA), &bytes(GET_DATA));
        let assertion = Assertion { client_data, authenticator_data, signature: &bytes(SIGNATURE) };
        let passkey = Passkey { public_key: &key_of(ATTESTATION), is_backup_eligible: Some(true) };
        let verified = verify_assertion(&example(), &bytes(GET_CHALLENGE), passkey, assertion);
        assert_eq!(verified, Err(NotGenuine::NotVerified));
    }
    use packed_ed25519::{ATTESTATION, GET_CLIENT_DATA, GET_DATA, SIGNATURE};
    check(ATTESTATION, GET_DATA, GET_CLIENT_DATA, SIGNATURE);
}

const CHALLENGE: [u8; 32] = [7; 32];

/// An assertion that is all right, and what somebody could change of it.
struct Made {
    key: Authenticator,
    client_data: String,
    data: Vec<u8>,
}

impl Made {
    fn new() -> Self {
        let challenge = URL_SAFE_NO_PAD.encode(CHALLENGE);
        let client_data = format!(
            r#"{{"type":"webauthn.get","challenge":"{challenge}","origin":"https://kms.example.org:8443","crossOrigin":false}}"#
        );
        let data = [&party().id_hash()[..], &[0x05, 0, 0, 0, 9]].concat();
        Self { key: Authenticator::new(), client_data, data }
    }

    fn verify(&self) -> Result<SignCount, NotGenuine> {
        let message = [&self.data[..], &sha256(self.client_data.as_bytes())].concat();
        self.verify_signed(&self.key.sign(&message))
    }

    fn verify_signed(&self, signature: &[u8]) -> Result<SignCount, NotGenuine> {
        let (client_data, authenticator_data) = (self.client_data.as_bytes(), &self.data[..]);
        let passkey = Passkey { public_key: &self.key.public_key, is_backup_eligible: Some(false) };
        verify_assertion(&party(), &CHALLENGE, passkey, Assertion { client_data, authenticator_data, signature })
    }

    fn replacing(old: &str, new: &str) -> Result<SignCount, NotGenuine> {
        let made = Self::new();
        assert!(made.client_data.contains(old), "{old}");
        Self { client_data: made.client_data.replace(old, new), ..made }.verify()
    }

    fn with_data(change: impl FnOnce(&mut Vec<u8>)) -> Result<SignCount, NotGenuine> {
        let mut made = Self::new();
        change(&mut made.data);
        made.verify()
    }
}

fn party() -> RelyingParty {
    RelyingParty::of_origin("https://kms.example.org:8443").unwrap()
}

#[test]
fn what_another_page_had_signed_is_refused() {
    assert_eq!(Made::new().verify(), Ok(SignCount(9)));
    assert_eq!(Made::replacing(r#","crossOrigin":false"#, ""), Ok(SignCount(9)));
    assert_eq!(Made::replacing(r#"false}"#, r#"false,"later":{"a":[1]}}"#), Ok(SignCount(9)));
    let refused = [
        ("webauthn.get", "webauthn.create", NotGenuine::Type),
        ("webauthn.get", "payment.get", NotGenuine::Type),
        ("BwcH", "BwcI", NotGenuine::Challenge),
        ("\",\"origin", "=\",\"origin", NotGenuine::Challenge),
        ("https://kms", "http://kms", NotGenuine::Origin),
        (":8443", "", NotGenuine::Origin),
        (":8443", ":8444", NotGenuine::Origin),
        ("kms.example.org", "kms.example.org.evil.example", NotGenuine::Origin),
        ("kms.example.org", "KMS.example.org", NotGenuine::Origin),
        ("kms.", "", NotGenuine::Origin),
        ("https://kms.example.org:8443", "null", NotGenuine::Origin),
        ("false", "true", NotGenuine::Origin),
        ("false", "1", NotGenuine::Form),
        ("\"type\"", "\"kind\"", NotGenuine::Form),
        ("{\"type\"", "{\"type\":\"webauthn.get\",\"type\"", NotGenuine::Form),
    ];
    for (old, new, why) in refused {
        assert_eq!(Made::replacing(old, new), Err(why), "{old} {new}");
    }
    assert_eq!(Made::replacing("false", &format!("false{}", " ".repeat(4_096))), Err(NotGenuine::Form));
}

#[test]
fn what_an_authenticator_did_otherwise_is_refused() {
    assert_eq!(Made::with_data(|data| data[0] ^= 1), Err(NotGenuine::RelyingParty));
    for (flags, why) in [
        (0x04, NotGenuine::NotPresent),
        (0x01, NotGenuine::NotVerified),
        (0x15, NotGenuine::Form),
        (0x0d, NotGenuine::Backup),
        (0x45, NotGenuine::Form),
        (0x85, NotGenuine::Form),
    ] {
        assert_eq!(Made::with_data(|data| data[32] = flags), Err(why), "{flags:02x}");
    }
    // Extensions, of which nothing is said, and which are there.
    assert_eq!(Made::with_data(|data| data.push(0xa0)), Err(NotGenuine::Form));
    let with_extensions = |data: &mut Vec<u8>| {
        data[32] |= 0x80;
        data.extend([0xa1, 0x61, b'x', 0xf5]);
    };
    assert_eq!(Made::with_data(with_extensions), Ok(SignCount(9)));
    assert_eq!(Made::with_data(|data| data.truncate(36)), Err(NotGenuine::Form));
}

#[test]
fn what_was_changed_after_it_was_signed_is_refused() {
    let made = Made::new();
    let message = [&made.data[..], &sha256(made.client_data.as_bytes())].concat();
    let signature = made.key.sign(&message);
    assert_eq!(made.verify_signed(&signature), Ok(SignCount(9)));
    assert_eq!(made.verify_signed(&[]), Err(NotGenuine::Signature));
    let mut counted = Made { data: made.data.clone(), client_data: made.client_data.clone(), ..made };
    counted.data[36] = 10;
    assert_eq!(counted.verify_signed(&signature), Err(NotGenuine::Signature));
    counted.data[36] = 9;
    counted.client_data.push(' ');
    assert_eq!(counted.verify_signed(&signature), Err(NotGenuine::Signature));
    let other = Made { key: Authenticator::new(), ..Made::new() };
    assert_eq!(other.verify_signed(&signature), Err(NotGenuine::Signature));
}

#[test]
fn a_counter_grows_or_is_never_used() {
    for (before, now) in [(0, 0), (0, 1), (4, 5), (4, u32::MAX)] {
        assert_eq!(SignCount(now).follows(SignCount(before)), Ok(()), "{before} {now}");
    }
    for (before, now) in [(5, 5), (5, 4), (5, 0)] {
        assert_eq!(SignCount(now).follows(SignCount(before)), Err(NotGenuine::SignCount), "{before} {now}");
    }
}

#[test]
fn passkeys_are_for_names_on_https() {
    for (given, origin, id) in [
        ("https://kms.example.org", "https://kms.example.org", "kms.example.org"),
        ("https://KMS.example.org:443/", "https://kms.example.org", "kms.example.org"),
        ("https://localhost:8443", "https://localhost:8443", "localhost"),
    ] {
        let party = RelyingParty::of_origin(given).unwrap();
        assert_eq!((party.origin(), party.id()), (origin, id), "{given}");
    }
    assert_eq!(RelyingParty::of_origin("http://kms.example.org"), Err(NoPasskeys::Scheme));
    for given in
        ["192.0.2.1", "192.0.2.1:8443", "[2001:db8::1]", "[::1]:8443", "3221225985", "0x7f000001", "a..b", "a/b"]
    {
        assert_eq!(RelyingParty::of_origin(&format!("https://{given}")), Err(NoPasskeys::Host), "{given}");
    }
}
