//! Where a file came from, as who built it says under a signature: SLSA provenance (slsa.dev/spec/v1.0/provenance, and
//! v0.2) in an in-toto statement, inside a DSSE envelope (github.com/secure-systems-lab/dsse).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    marker::PhantomData,
};

use chancery_keys::{Input, KeySpec, SignatureScheme, is_anyones_key, kind_of_public_key, verify};
use chancery_types::{Base64, HashType};
use chancery_x509::pem;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// What the envelope says that it holds (in-toto attestation framework, envelope layer).
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

const STATEMENTS: [&str; 2] = ["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"];

const SLSA_1: &str = "https://slsa.dev/provenance/v1";
const SLSA_0_2: &str = "https://slsa.dev/provenance/v0.2";

/// Signatures of an envelope that are looked at. Real ones have one.
const SIGNATURES_MAX: usize = 16;

/// Who signs provenance: a name of the verifier's own, a public key, and whose builds count.
#[derive(Clone, Debug)]
pub struct Issuer {
    /// What the verifier calls it.
    pub name: String,
    /// The builders whose builds count; none where all do.
    builders: Vec<String>,
    key: Vec<u8>,
    schemes: Vec<SignatureScheme>,
}

/// What a signed statement says of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Which version of SLSA provenance it is.
    pub predicate_type: String,
    /// What built it.
    pub builder_id: String,
    /// How it was built.
    pub build_type: String,
    /// This build among those of the builder.
    pub invocation_id: Option<String>,
    /// When it began, as written there.
    pub started_on: Option<String>,
    /// When it ended, as written there.
    pub finished_on: Option<String>,
    /// What it was built from.
    pub sources: Vec<Material>,
    /// The files that were built.
    subjects: Vec<Material>,
}

/// A file, or a repository at some commit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Material {
    /// What it is called.
    #[serde(default)]
    pub name: Option<String>,
    /// Its address.
    #[serde(default)]
    pub uri: Option<String>,
    /// Its digests in hexadecimal digits, by the names of the in-toto attestation framework: `sha256`, `gitCommit` …
    #[serde(default)]
    pub digest: BTreeMap<String, String>,
}

/// Why provenance counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotProven {
    /// The bytes are not what the standard says.
    Malformed(String),
    /// None of the issuers signed it.
    Unsigned,
    /// It says nothing about builds.
    Predicate(String),
    /// None of those who signed it vouches for this builder.
    Builder(String),
}

impl fmt::Display for NotProven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => f.write_str(why),
            Self::Unsigned => f.write_str("none of its signatures is one of a named issuer's key over what it holds"),
            Self::Predicate(found) => {
                write!(f, "its predicateType is {found:?}, and only {SLSA_1} and {SLSA_0_2} say where a file was built")
            }
            Self::Builder(counting) => write!(f, "its builder does not count: builds count of {counting} alone"),
        }
    }
}

impl std::error::Error for NotProven {}

impl Issuer {
    /// An issuer by its public key in PEM (`PUBLIC KEY`): Ed25519, ECDSA, or RSA; none where it is not one. `builders` are
    /// those whose builds count; without any, all do.
    #[must_use]
    pub fn new(name: &str, public_key_pem: &str, builders: &[String]) -> Option<Self> {
        let mut blocks = pem::blocks(public_key_pem.as_bytes(), &["PUBLIC KEY"]).ok()?;
        let (Some(key), None) = (blocks.pop(), blocks.pop()) else { return None };
        let spec = kind_of_public_key(&key).filter(|_| !is_anyones_key(&key))?;
        // Envelopes do not name an algorithm. The first that is listed is what DSSE's own library takes for such keys;
        // signers with one hash for all kinds of key are common too.
        let choices: &[(HashType, bool)] = match spec {
            KeySpec::Ed25519 => &[(HashType::Sha2_512, false)],
            KeySpec::Ec(_) => &[(HashType::Sha2_256, false), (HashType::Sha2_384, false), (HashType::Sha2_512, false)],
            KeySpec::Rsa(_) => &[(HashType::Sha2_256, true), (HashType::Sha2_256, false)],
            KeySpec::MlDsa(_) | KeySpec::Aes(_) | KeySpec::Hmac256 => return None,
        };
        let schemes = choices.iter().filter_map(|(hash, pss)| SignatureScheme::for_key(spec, *hash, *pss).ok());
        Some(Self { name: name.to_owned(), builders: builders.to_vec(), key, schemes: schemes.collect() })
    }

    /// Its public key: a SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    fn vouches_for(&self, builder: &String) -> bool {
        self.builders.is_empty() || self.builders.contains(builder)
    }

    fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        self.schemes.iter().any(|scheme| verify(&self.key, *scheme, Input::Message(message), signature).is_ok())
    }
}

impl Provenance {
    /// Reads an envelope that one of these issuers signed who vouches for the builder, and says which. What is inside is
    /// looked at only where one has signed.
    pub fn open<'i>(envelope: &[u8], issuers: &'i [Issuer]) -> Result<(&'i Issuer, Self), NotProven> {
        let Object::<Envelope>(envelope) = read("a DSSE envelope", envelope)?;
        if envelope.payload_type != PAYLOAD_TYPE {
            let found = envelope.payload_type;
            return Err(NotProven::Malformed(format!("its payloadType is {found:?} and not {PAYLOAD_TYPE}")));
        }
        if envelope.signatures.len() > SIGNATURES_MAX {
            return Err(NotProven::Malformed(format!("it has more than {SIGNATURES_MAX} signatures")));
        }
        let payload =
            decode(&envelope.payload).ok_or_else(|| NotProven::Malformed("its payload is not base64".into()))?;
        let message = encoded(&payload);
        let signatures: Vec<_> = envelope.signatures.iter().filter_map(|one| decode(&one.0.sig)).collect();
        let signed = |issuer: &&Issuer| signatures.iter().any(|signature| issuer.signed(&message, signature));
        // All of them: an envelope may have several signatures, and each issuer builders of its own.
        let signers: Vec<_> = issuers.iter().filter(signed).collect();
        if signers.is_empty() {
            return Err(NotProven::Unsigned);
        }
        let provenance = Self::read(&payload)?;
        let vouching = signers.iter().find(|signer| signer.vouches_for(&provenance.builder_id));
        let counting = || {
            let of = |signer: &&Issuer| format!("{} from {}", signer.builders.join(", "), signer.name);
            NotProven::Builder(signers.iter().map(of).collect::<Vec<_>>().join("; "))
        };
        Ok((*vouching.ok_or_else(counting)?, provenance))
    }

    /// The digests of this kind of the files that were built; none of a kind that has no name in the framework.
    #[must_use]
    pub fn digests(&self, of: HashType) -> BTreeSet<Vec<u8>> {
        let Some(name) = in_toto_name(of) else { return BTreeSet::new() };
        let digests = self.subjects.iter().filter_map(|subject| hex::decode(subject.digest.get(name)?).ok());
        digests.collect()
    }

    fn read(payload: &[u8]) -> Result<Self, NotProven> {
        let Object::<Statement>(statement) = read("an in-toto statement", payload)?;
        if !STATEMENTS.contains(&statement.kind.as_str()) {
            let found = statement.kind;
            return Err(NotProven::Malformed(format!("its _type is {found:?} and not {}", STATEMENTS[0])));
        }
        let predicate_type = statement.predicate_type;
        let read = match predicate_type.as_str() {
            SLSA_1 => Self::from_1,
            SLSA_0_2 => Self::from_0_2,
            _ => return Err(NotProven::Predicate(predicate_type)),
        };
        read(payload, predicate_type, all(statement.subject))
    }

    fn from_1(payload: &[u8], predicate_type: String, subjects: Vec<Material>) -> Result<Self, NotProven> {
        let Object::<With<Predicate1>>(With { predicate: Object(predicate) }) = read("SLSA provenance", payload)?;
        let Predicate1 { build_definition: Object(build_definition), run_details: Object(run_details) } = predicate;
        let metadata = run_details.metadata.map(|metadata| metadata.0);
        let Metadata1 { invocation_id, started_on, finished_on } = metadata.unwrap_or_default();
        Ok(Self {
            predicate_type,
            builder_id: run_details.builder.0.id,
            build_type: build_definition.build_type,
            invocation_id,
            started_on,
            finished_on,
            sources: all(build_definition.resolved_dependencies),
            subjects,
        })
    }

    fn from_0_2(payload: &[u8], predicate_type: String, subjects: Vec<Material>) -> Result<Self, NotProven> {
        let Object::<With<Predicate02>>(With { predicate: Object(predicate) }) = read("SLSA provenance", payload)?;
        let metadata = predicate.metadata.map(|metadata| metadata.0);
        let Metadata02 { build_invocation_id, build_started_on, build_finished_on } = metadata.unwrap_or_default();
        let materials = all(predicate.materials);
        let configured = predicate.invocation.and_then(|invocation| invocation.0.config_source).map(|source| source.0);
        // What the build was told to build stands among the materials too, as a rule.
        let configured = configured.filter(|source| !materials.contains(source));
        Ok(Self {
            predicate_type,
            builder_id: predicate.builder.0.id,
            build_type: predicate.build_type,
            invocation_id: build_invocation_id,
            started_on: build_started_on,
            finished_on: build_finished_on,
            sources: configured.into_iter().chain(materials).collect(),
            subjects,
        })
    }
}

/// What is signed (DSSE, section "Signature Definition"): the type and the payload, each with its length before it.
fn encoded(payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

/// Base64 of either alphabet, as DSSE takes it.
fn decode(text: &str) -> Option<Vec<u8>> {
    Base64::decode(&text.replace('-', "+").replace('_', "/")).map(|bytes| bytes.0)
}

fn read<'b, T: Deserialize<'b>>(what: &str, bytes: &'b [u8]) -> Result<T, NotProven> {
    serde_json::from_slice(bytes).map_err(|error| NotProven::Malformed(format!("it is not {what}: {error}")))
}

/// What the in-toto attestation framework calls a hash (its "DigestSet").
const fn in_toto_name(hash: HashType) -> Option<&'static str> {
    Some(match hash {
        HashType::Sha2_224 => "sha224",
        HashType::Sha2_256 => "sha256",
        HashType::Sha2_384 => "sha384",
        HashType::Sha2_512 => "sha512",
        HashType::Sha3_224 => "sha3_224",
        HashType::Sha3_256 => "sha3_256",
        HashType::Sha3_384 => "sha3_384",
        HashType::Sha3_512 => "sha3_512",
        // Nobody should rely on those that are broken, and the framework has no names for the others.
        HashType::Md5
        | HashType::RipeMd
        | HashType::Sha1
        | HashType::Shake128
        | HashType::Shake256
        | HashType::Shake256_64 => return None,
    })
}

/// An object. Code that is derived for a struct also takes an array for it, value by value in the order of the members
/// here, which no document describes: everything that is read here is of objects.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }
        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

fn all(objects: Vec<Object<Material>>) -> Vec<Material> {
    objects.into_iter().map(|object| object.0).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Object<Signature>>,
}

#[derive(Deserialize)]
struct Signature {
    sig: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Object<Material>>,
    predicate_type: String,
    #[serde(rename = "predicate")]
    _predicate: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(bound = "P: Deserialize<'de>")]
struct With<P> {
    predicate: Object<P>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Predicate1 {
    build_definition: Object<BuildDefinition>,
    run_details: Object<RunDetails>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuildDefinition {
    build_type: String,
    #[serde(default)]
    resolved_dependencies: Vec<Object<Material>>,
}

#[derive(Deserialize)]
struct RunDetails {
    builder: Object<Builder>,
    #[serde(default)]
    metadata: Option<Object<Metadata1>>,
}

#[derive(Deserialize)]
struct Builder {
    id: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata1 {
    #[serde(default)]
    invocation_id: Option<String>,
    #[serde(default)]
    started_on: Option<String>,
    #[serde(default)]
    finished_on: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Predicate02 {
    builder: Object<Builder>,
    build_type: String,
    #[serde(default)]
    invocation: Option<Object<Invocation>>,
    #[serde(default)]
    metadata: Option<Object<Metadata02>>,
    #[serde(default)]
    materials: Vec<Object<Material>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    #[serde(default)]
    config_source: Option<Object<Material>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata02 {
    #[serde(default, rename = "buildInvocationId", alias = "buildInvocationID")]
    build_invocation_id: Option<String>,
    #[serde(default)]
    build_started_on: Option<String>,
    #[serde(default)]
    build_finished_on: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::fs;

    use chancery_testkit::{TempDir, Tool, temp_dir};
    use serde_json::{Value, json};

    use super::*;

    const BUILDER: &str = "https://builder.example.org";

    fn statement(digest: &Value) -> Value {
        json!({
            "_type": STATEMENTS[0], "subject": [{"name": "a", "uri": "u", "digest": digest}], "predicateType": SLSA_1,
            "predicate": {
                "buildDefinition": {"buildType": "make", "resolvedDependencies": [{"name": "x"}]},
                "runDetails": {"builder": {"id": BUILDER}, "metadata": {"invocationId": "7"}},
            },
        })
    }

    fn openssl(folder: &TempDir, arguments: &str) {
        let _ran = Tool::new("openssl").args(arguments.split(' ')).folder(folder.path()).run();
    }

    /// A new key in PEM, and its signature over a payload.
    fn sign(payload: &[u8]) -> (String, String) {
        let folder = temp_dir();
        openssl(&folder, "genpkey -algorithm ed25519 -out key");
        openssl(&folder, "pkey -in key -pubout -out pub");
        fs::write(folder.path().join("in"), encoded(payload)).unwrap();
        openssl(&folder, "pkeyutl -sign -rawin -inkey key -in in -out sig");
        let signature = fs::read(folder.path().join("sig")).unwrap();
        (fs::read_to_string(folder.path().join("pub")).unwrap(), Base64::encode(&signature))
    }

    #[test]
    fn whoever_signed_and_vouches_for_the_builder_counts() {
        let payload = statement(&json!({"sha256": "00"})).to_string().into_bytes();
        let ((first, one), (second, two)) = (sign(&payload), sign(&payload));
        let of = |signatures: &[&String]| {
            let signatures: Vec<_> = signatures.iter().map(|sig| json!({"sig": sig})).collect();
            json!({"payloadType": PAYLOAD_TYPE, "payload": Base64::encode(&payload), "signatures": signatures})
                .to_string()
        };
        let issuer = |name: &str, key: &str, builders: &[&str]| {
            let builders: Vec<_> = builders.iter().map(|&builder| builder.to_owned()).collect();
            Issuer::new(name, key, &builders).unwrap()
        };
        let opened = |signatures: &[&String], issuers: &[Issuer]| {
            Provenance::open(of(signatures).as_bytes(), issuers).map(|(issuer, _)| issuer.name.clone())
        };
        let issuers = [issuer("a", &first, &["elsewhere"]), issuer("b", &second, &[BUILDER])];
        assert_eq!(opened(&[&one, &two], &issuers), Ok("b".to_owned()));
        assert_eq!(opened(&[&two], &issuers), Ok("b".to_owned()));
        let refused = opened(&[&one], &issuers).unwrap_err();
        assert_eq!(refused, NotProven::Builder("elsewhere from a".to_owned()));
        assert_eq!(opened(&[&one], &issuers[1..]), Err(NotProven::Unsigned));
        assert_eq!(opened(&[&one, &two], &[issuer("any", &first, &[])]), Ok("any".to_owned()));
    }

    #[test]
    fn a_hash_without_a_name_has_no_digests() {
        let provenance =
            Provenance::read(statement(&json!({"": "00", "sha256": "01", "sha1": "02"})).to_string().as_bytes());
        let provenance = provenance.unwrap();
        assert_eq!(provenance.digests(HashType::Sha2_256), [vec![1]].into());
        for hash in [HashType::Md5, HashType::RipeMd, HashType::Sha1, HashType::Shake128, HashType::Shake256] {
            assert_eq!(provenance.digests(hash), BTreeSet::new(), "{hash}");
        }
    }

    /// Each object of a document is replaced by an array of its values; those of a statement stand there in the order in
    /// which they are declared here.
    #[test]
    fn an_array_is_no_object() {
        let old = json!({
            "_type": STATEMENTS[1], "subject": [{"name": "a"}], "predicateType": SLSA_0_2,
            "predicate": {
                "builder": {"id": BUILDER}, "buildType": "make",
                "invocation": {"configSource": {"name": "x"}}, "metadata": {"buildInvocationId": "8"},
                "materials": [{"name": "y"}],
            },
        });
        let new = statement(&json!({}));
        let cases = [
            (&new, "", json!([STATEMENTS[0], [], SLSA_1, new["predicate"]])),
            (&new, "/subject/0", json!(["a", "u", {}])),
            (&new, "/predicate", json!([new["predicate"]["buildDefinition"], new["predicate"]["runDetails"]])),
            (&new, "/predicate/buildDefinition", json!(["make", []])),
            (&new, "/predicate/buildDefinition/resolvedDependencies/0", json!(["x", null, {}])),
            (&new, "/predicate/runDetails", json!([{"id": BUILDER}, null])),
            (&new, "/predicate/runDetails/builder", json!([BUILDER])),
            (&new, "/predicate/runDetails/metadata", json!(["7", null, null])),
            (&old, "/predicate", json!([{"id": BUILDER}, "make", null, null, []])),
            (&old, "/predicate/builder", json!([BUILDER])),
            (&old, "/predicate/invocation", json!([{"name": "x"}])),
            (&old, "/predicate/invocation/configSource", json!(["x", null, {}])),
            (&old, "/predicate/metadata", json!(["8", null, null])),
            (&old, "/predicate/materials/0", json!(["y", null, {}])),
        ];
        for (document, pointer, array) in cases {
            let mut changed = document.clone();
            assert!(Provenance::read(changed.to_string().as_bytes()).is_ok());
            *changed.pointer_mut(pointer).unwrap() = array;
            let refused = Provenance::read(changed.to_string().as_bytes()).unwrap_err();
            assert!(refused.to_string().contains("expected an object"), "{pointer}: {refused}");
        }
        let envelopes = [
            json!([PAYLOAD_TYPE, "", []]),
            json!({"payloadType": PAYLOAD_TYPE, "payload": "", "signatures": [["AA=="]]}),
        ];
        for envelope in envelopes {
            let refused = Provenance::open(envelope.to_string().as_bytes(), &[]).unwrap_err();
            assert!(refused.to_string().contains("expected an object"), "{envelope}: {refused}");
        }
    }
}
