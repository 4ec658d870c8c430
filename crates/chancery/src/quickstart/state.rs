//! `quickstart.json`: what scripts read, and what the next start takes up again.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use chancery_types::{CertificateId, PolicyId, ServiceId, TokenProfileId};
use rand::distr::{Alphanumeric, SampleString as _};
use serde::{Deserialize, Serialize};

use crate::{
    failure::{Failure, While as _},
    private_file,
};

/// Characters of a password: 24 of 62 are 142 bits.
const PASSWORD_LEN: usize = 24;

/// The whole of `quickstart.json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) base: String,
    pub(super) ca_file: PathBuf,
    pub(super) admins: Vec<Person>,
    pub(super) approver: Person,
    pub(super) demo: Demo,
}

/// What a demonstration keeps from start to start. It is a part of [`State`], so either file can be read as it.
#[derive(Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) admins: Vec<Person>,
    pub(super) approver: Person,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) demo: Option<Demo>,
}

/// Somebody of the demonstration: one of the two administrators, or who approves what they submit.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Person {
    pub(super) username: String,
    pub(super) password: String,
}

/// The objects that a demonstration begins with.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Demo {
    pub(super) token_profile_uuid: TokenProfileId,
    pub(super) root_certificate_uuid: CertificateId,
    /// Signs at once.
    pub(super) service_uuid: ServiceId,
    pub(super) policy_uuid: PolicyId,
    /// Signs once it is approved.
    #[serde(flatten)]
    pub(super) releases: Releases,
}

/// The service whose signatures wait for an approval.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Releases {
    #[serde(rename = "releaseServiceUuid")]
    pub(super) service_uuid: ServiceId,
    #[serde(rename = "releasePolicyUuid")]
    pub(super) policy_uuid: PolicyId,
}

/// The file that scripts wait for.
pub(super) fn state_file(data: &Path) -> PathBuf {
    data.join("quickstart.json")
}

/// Where the same waits while the server is not ready.
fn aside(data: &Path) -> PathBuf {
    data.join("quickstart.json.starting")
}

/// Every file that may hold the passwords of a demonstration.
pub(crate) fn state_files(data: &Path) -> [PathBuf; 2] {
    [state_file(data), aside(data)]
}

/// Takes the file of the last start away, so that nobody takes its address for this start's, and reads it; with none,
/// begins a new demonstration.
pub(super) fn withdraw(data: &Path) -> Result<Progress, Failure> {
    let (published, aside) = (state_file(data), aside(data));
    match fs::rename(&published, &aside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).doing(published.display().to_string());
        }
        Ok(()) | Err(_) => {}
    }
    match fs::read(&aside) {
        Ok(json) => serde_json::from_slice(&json).doing(aside.display().to_string()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let admins = ["Admin1", "Admin2"].map(somebody);
            let progress = Progress { admins: admins.into(), approver: somebody("Approver1"), demo: None };
            // Before they are anybody's passwords: a start that is interrupted can be taken up again.
            progress.save(data)?;
            Ok(progress)
        }
        Err(error) => Err(error).doing(aside.display().to_string()),
    }
}

fn somebody(username: &str) -> Person {
    Person { username: username.to_owned(), password: new_password() }
}

/// From the thread's generator, which is seeded by the system and cryptographically strong.
fn new_password() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), PASSWORD_LEN)
}

impl Progress {
    /// Keeps it for this start and the next.
    pub(super) fn save(&self, data: &Path) -> Result<(), Failure> {
        let aside = aside(data);
        private_file::replace(&aside, &serde_json::to_vec(self)?).doing(aside.display().to_string())
    }
}

impl State {
    /// Puts the file in place: from here on, what it says is true.
    pub(super) fn publish(&self, data: &Path) -> Result<(), Failure> {
        let path = state_file(data);
        private_file::replace(&path, self.json()?.as_bytes()).doing(path.display().to_string())?;
        let aside = aside(data);
        fs::remove_file(&aside).doing(aside.display().to_string())
    }

    /// One person a line, so that a shell can pick a password out without a JSON parser.
    fn json(&self) -> Result<String, Failure> {
        let admins = self.admins.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let (base, ca_file) = (serde_json::to_string(&self.base)?, serde_json::to_string(&self.ca_file)?);
        let demo = serde_json::to_string(&self.demo)?;
        let (admins, approver) = (admins.join(",\n"), serde_json::to_string(&self.approver)?);
        let people = format!("\"admins\":[\n{admins}],\n\"approver\":\n{approver}");
        Ok(format!("{{\"base\":{base},\n\"caFile\":{ca_file},\n{people},\n\"demo\":{demo}}}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_takes_up_what_the_last_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let first = withdraw(data).unwrap();
        let passwords =
            |progress: &Progress| -> Vec<_> { progress.admins.iter().map(|admin| admin.password.clone()).collect() };
        assert!(first.admins.iter().all(|admin| admin.password.len() == 24));
        assert_ne!(passwords(&first)[0], passwords(&first)[1]);
        let interrupted = withdraw(data).unwrap();
        assert_eq!(passwords(&first), passwords(&interrupted));

        let demo = Demo {
            token_profile_uuid: TokenProfileId::from_u128(1),
            root_certificate_uuid: CertificateId::from_u128(2),
            service_uuid: ServiceId::from_u128(3),
            policy_uuid: PolicyId::from_u128(4),
            releases: Releases { service_uuid: ServiceId::from_u128(5), policy_uuid: PolicyId::from_u128(6) },
        };
        let (base, ca_file) = ("https://[::1]:1".to_owned(), "/a \"b".into());
        let state = State { base, ca_file, admins: first.admins, approver: first.approver, demo };
        state.publish(data).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&fs::read(state_file(data)).unwrap()).unwrap();
        assert_eq!((&json["base"], &json["caFile"]), (&"https://[::1]:1".into(), &"/a \"b".into()));
        assert_eq!(json["demo"]["policyUuid"], "00000000-0000-0000-0000-000000000004");
        assert_eq!(json["demo"]["releasePolicyUuid"], "00000000-0000-0000-0000-000000000006");
        assert_eq!(json["approver"]["username"], "Approver1");

        let next = withdraw(data).unwrap();
        assert!(!state_file(data).exists(), "withdrawn until the server is ready again");
        assert_eq!(passwords(&next), passwords(&interrupted));
        let demo = next.demo.unwrap();
        assert_eq!(demo.service_uuid, ServiceId::from_u128(3));
        assert_eq!(demo.releases.policy_uuid, PolicyId::from_u128(6));
    }
}
