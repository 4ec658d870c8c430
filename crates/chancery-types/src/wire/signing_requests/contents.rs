//! What is inside of what people sign.

use serde::{Deserialize, Serialize};

use super::super::ObjInfo;
use crate::{Base64, SigningRequestId};

/// What the server found in an uploaded file: computed from the bytes that will be signed. The texts are as whoever made
/// the file wrote them, and nobody has verified the signatures; texts end after 256 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct UploadContents {
    /// SHA-256 of the file, as `sha256sum` computes it, whatever the policy's hash and format.
    pub sha256: Base64,
    /// What it is, as far as the policy's format tells; absent for `CMS` and `Raw`, whose files may be anything, and with
    /// which only `sha256` is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ContentKind>,
    /// Of a program: for which machine, such as `x86-64` or `Arm64`, or its number, such as `0x0200`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// What it says of itself, the first 64: of a program's version resource, an installer's Property table and summary,
    /// an archive's manifest. A name comes twice where there are two values, such as in two languages.
    pub properties: Vec<ContentProperty>,
    /// Of a script: its lines, without a signature that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Of an archive its entries, of an installer its streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries_total: Option<u64>,
    /// Of an archive: the first 300 entries.
    pub entries: Vec<ContentEntry>,
    /// How many signatures it has already.
    pub signatures_total: u64,
    /// The first 16 of them.
    pub signatures: Vec<ContentSignature>,
    /// Whether there is more in `properties`, or more of a text, than is here.
    pub is_cut: bool,
}

wire_enum! {
    /// What a file is.
    pub enum ContentKind {
        /// A program that is started.
        Program = "Program",
        /// A library that programs load.
        Library = "Library",
        /// A driver, or what else runs in the kernel.
        Driver = "Driver",
        /// What a machine starts before its system.
        Firmware = "Firmware",
        /// A Windows installer.
        Installer = "Installer",
        /// A script.
        Script = "Script",
        /// An archive.
        Archive = "Archive",
    }
}

/// Something that a file says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ContentProperty {
    /// What it is called there.
    pub name: String,
    /// What it says.
    pub value: String,
}

/// An entry of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ContentEntry {
    /// Its name.
    pub name: String,
    /// Its bytes, unpacked.
    pub size: u64,
}

/// A signature that a file has already. Nobody has verified it: anybody can write any name into a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ContentSignature {
    /// The subject of the signer's certificate, as it says itself; absent where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// How a manifest differs from the last one that was signed under its policy: by name, and among what was really signed
/// then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ManifestChanges {
    /// The last manifest; absent where none was signed before. Then all items are new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<ObjInfo<SigningRequestId>>,
    /// When it was signed (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_signed_at: Option<String>,
    /// Items with names that it has not.
    pub added: u32,
    /// Items with its names and other digests.
    pub changed: u32,
    /// Items with its names and digests.
    pub same: u32,
    /// Names that it has, and that are gone.
    pub gone: u32,
    /// The first 1,000 of these names.
    pub gone_names: Vec<String>,
}

wire_enum! {
    /// What an item of a manifest is, beside the last manifest that was signed under the policy.
    pub enum ItemChange {
        /// Its name is new.
        Added = "Added",
        /// Its name is there with another digest.
        Changed = "Changed",
        /// It is there with this digest.
        Same = "Same",
    }
}
