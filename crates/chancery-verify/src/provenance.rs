//! Where a file came from, as who built it says under a signature: SLSA provenance (slsa.dev/spec/v1.0/provenance, and
//! v0.2) in an in-toto statement, inside a DSSE envelope (github.com/secure-systems-lab/dsse).

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use chancery_keys::{Input, KeySpec, SignatureScheme, kind_of_public_key, verify};
use chancery_types::{Base64, HashType};
use chancery_x509::pem;
use serde::{Deserialize, de::IgnoredAny};

/// What the envelope says that it holds (in-toto attestation framework, envelope layer).
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

const STATEMENTS: [&str; 2] = ["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"];

const SLSA_1: &str = "https://slsa.dev/provenance/v1";
const SLSA_0_2: &str = "https://slsa.dev/provenance/v0.2";

/// Signatures of an envelope that are looked at. Real ones have one.
const SIGNATURES_MAX: usize = 16;

/// Who signs provenance: a name of the verifier's own, and a public key.
#[derive(Clone, Debug)]
pub struct Issuer {
    /// What the verifier calls it.
    pub name: String,
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
}

impl fmt::Display for NotProven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => f.write_str(why),
            Self::Unsigned => f.write_str("none of its signatures is one of a named issuer's key over what it holds"),
            Self::Predicate(found) => {
                write!(f, "its predicateType is {found:?}, and only {SLSA_1} and {SLSA_0_2} say where a file was built")
            }
        }
    }
}

impl std::error::Error for NotProven {}

impl Issuer {
    /// An issuer by its public key in PEM (`PUBLIC KEY`): Ed25519, ECDSA, or RSA; none where it is not one.
    #[must_use]
    pub fn new(name: &str, public_key_pem: &str) -> Option<Self> {
        let mut blocks = pem::blocks(public_key_pem.as_bytes(), &["PUBLIC KEY"]).ok()?;
        let (Some(key), None) = (blocks.pop(), blocks.pop()) else { return None };
        let spec = kind_of_public_key(&key)?;
        // Envelopes do not name an algorithm. The first that is listed is what DSSE's own library takes for such keys;
        // signers with one hash for all kinds of key are common too.
        let choices: &[(HashType, bool)] = match spec {
            KeySpec::Ed25519 => &[(HashType::Sha2_512, false)],
            KeySpec::Ec(_) => &[(HashType::Sha2_256, false), (HashType::Sha2_384, false), (HashType::Sha2_512, false)],
            KeySpec::Rsa(_) => &[(HashType::Sha2_256, true), (HashType::Sha2_256, false)],
            KeySpec::MlDsa(_) | KeySpec::Aes(_) | KeySpec::Hmac256 => return None,
        };
        let schemes = choices.iter().filter_map(|(hash, pss)| SignatureScheme::for_key(spec, *hash, *pss).ok());
        Some(Self { name: name.to_owned(), key, schemes: schemes.collect() })
    }

    /// Its public key: a SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    fn signed(&self, message: &[u8], signature: &[u8]) -> bool {
        self.schemes.iter().any(|scheme| verify(&self.key, *scheme, Input::Message(message), signature).is_ok())
    }
}

impl Provenance {
    /// Reads an envelope that one of these issuers signed, and says which. What is inside is looked at only then.
    pub fn open<'i>(envelope: &[u8], issuers: &'i [Issuer]) -> Result<(&'i Issuer, Self), NotProven> {
        let envelope: Envelope = read("a DSSE envelope", envelope)?;
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
        let signatures: Vec<_> = envelope.signatures.iter().filter_map(|one| decode(&one.sig)).collect();
        let signed = |issuer: &&Issuer| signatures.iter().any(|signature| issuer.signed(&message, signature));
        let issuer = issuers.iter().find(signed).ok_or(NotProven::Unsigned)?;
        Ok((issuer, Self::read(&payload)?))
    }

    /// The digests of this kind of the files that were built.
    #[must_use]
    pub fn digests(&self, of: HashType) -> BTreeSet<Vec<u8>> {
        let name = in_toto_name(of).unwrap_or_default();
        let digests = self.subjects.iter().filter_map(|subject| hex::decode(subject.digest.get(name)?).ok());
        digests.collect()
    }

    fn read(payload: &[u8]) -> Result<Self, NotProven> {
        let statement: Statement = read("an in-toto statement", payload)?;
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
        read(payload, predicate_type, statement.subject)
    }

    fn from_1(payload: &[u8], predicate_type: String, subjects: Vec<Material>) -> Result<Self, NotProven> {
        let With { predicate: Predicate1 { build_definition, run_details } } = read("SLSA provenance", payload)?;
        let Metadata1 { invocation_id, started_on, finished_on } = run_details.metadata.unwrap_or_default();
        Ok(Self {
            predicate_type,
            builder_id: run_details.builder.id,
            build_type: build_definition.build_type,
            invocation_id,
            started_on,
            finished_on,
            sources: build_definition.resolved_dependencies,
            subjects,
        })
    }

    fn from_0_2(payload: &[u8], predicate_type: String, subjects: Vec<Material>) -> Result<Self, NotProven> {
        let With { predicate } = read::<With<Predicate02>>("SLSA provenance", payload)?;
        let Metadata02 { build_invocation_id, build_started_on, build_finished_on } =
            predicate.metadata.unwrap_or_default();
        let configured = predicate.invocation.and_then(|invocation| invocation.config_source);
        // What the build was told to build stands among the materials too, as a rule.
        let configured = configured.filter(|source| !predicate.materials.contains(source));
        Ok(Self {
            predicate_type,
            builder_id: predicate.builder.id,
            build_type: predicate.build_type,
            invocation_id: build_invocation_id,
            started_on: build_started_on,
            finished_on: build_finished_on,
            sources: configured.into_iter().chain(predicate.materials).collect(),
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Signature>,
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
    subject: Vec<Material>,
    predicate_type: String,
    #[serde(rename = "predicate")]
    _predicate: IgnoredAny,
}

#[derive(Deserialize)]
struct With<P> {
    predicate: P,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Predicate1 {
    build_definition: BuildDefinition,
    run_details: RunDetails,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuildDefinition {
    build_type: String,
    #[serde(default)]
    resolved_dependencies: Vec<Material>,
}

#[derive(Deserialize)]
struct RunDetails {
    builder: Builder,
    #[serde(default)]
    metadata: Option<Metadata1>,
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
    builder: Builder,
    build_type: String,
    #[serde(default)]
    invocation: Option<Invocation>,
    #[serde(default)]
    metadata: Option<Metadata02>,
    #[serde(default)]
    materials: Vec<Material>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    #[serde(default)]
    config_source: Option<Material>,
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
