//! The same by hand: lines for a POSIX shell with curl, base64 and openssl.
//!
//! No password and no token stands in an argument, where everybody on the host could read it: passwords go from the file
//! through a pipe, the token goes into a file of its own.

use std::path::Path;

use super::{
    self_check::CARD,
    state::{Demo, State},
};
use crate::shown::path_word;

/// What to paste. `{…}` is filled in.
const LINES: &str = r#"# The same by hand. Paste it into a shell:
BASE='{base}'; CA={ca}; STATE={state}
T=$(mktemp -d); call() { curl -sS --fail-with-body --cacert "$CA" -b "$T/cookies" -c "$T/cookies" "$@"; echo; }
login() { P=$(sed -n 's/.*"username":"'"$1"'","password":"\([^"]*\)".*/\1/p' "$STATE" | tr -d '\n' | base64 | tr -d '\n')
  printf '{"authType":"userpass","authCredentials":{"username":"%s","password":"%s"}}' "$1" "$P" |
  call -H 'Content-Type: application/json' --data-binary @- "$BASE/home/v1/login"; }
api() { call -H @"$T/bearer" -H 'Content-Type: application/json' "$@"; }
login Admin1
login Admin2
printf 'Authorization: Bearer %s\n' "$(call "$BASE/home/v1/login/token" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')" > "$T/bearer"

# tokenize a card number, and back
TOKEN=$(api --data '{"message":"{card}"}' "$BASE/api/v2/token-profiles/{profile}/tokenize" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p'); echo "$TOKEN"
api --data '{"token":"'"$TOKEN"'"}' "$BASE/api/v2/token-profiles/{profile}/detokenize"

# sign a file and verify the signature
echo 'Nothing is sealed here by one person alone.' > "$T/file"
printf '{"name":"by hand","serviceUuid":"{service}","policyUuid":"{policy}","uploadData":"%s"}' "$(base64 < "$T/file" | tr -d '\n')" > "$T/request"
REQUEST=$(api --data-binary @"$T/request" "$BASE/api/v2/x509/signing-requests" | sed -n 's/.*"uuid":"\([^"]*\)".*/\1/p')
api "$BASE/api/v2/x509/signing-requests/$REQUEST" | sed -n 's/.*"signature":"\([^"]*\)".*/\1/p' | base64 -d > "$T/file.p7s"
api "$BASE/api/v2/x509/{root}/download?format=pem" > "$T/root.pem"
openssl cms -verify -binary -inform DER -in "$T/file.p7s" -content "$T/file" -CAfile "$T/root.pem" -purpose any -out /dev/null

# a release waits until it is approved: submit, log in as Approver1 beside it, approve, fetch
sed 's/{service}/{releaseService}/; s/{policy}/{releasePolicy}/' "$T/request" > "$T/release"
REQUEST=$(api --data-binary @"$T/release" "$BASE/api/v2/x509/signing-requests" | sed -n 's/.*"uuid":"\([^"]*\)".*/\1/p')
api "$BASE/api/v2/x509/signing-requests/$REQUEST" | sed -n 's/.*"state":"\([^"]*\)".*/before: \1/p'
(T=$(mktemp -d); login Approver1
printf 'Authorization: Bearer %s\n' "$(call "$BASE/home/v1/login/token" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')" > "$T/bearer"
api --data '{"note":"by hand"}' "$BASE/api/v2/x509/signing-requests/$REQUEST/approve" > /dev/null)
api "$BASE/api/v2/x509/signing-requests/$REQUEST" | sed -n 's/.*"signature":"\([^"]*\)".*/\1/p' | base64 -d > "$T/release.p7s"
openssl cms -verify -binary -inform DER -in "$T/release.p7s" -content "$T/file" -CAfile "$T/root.pem" -purpose any -out /dev/null
"#;

/// The lines for this installation.
pub(super) fn lines(state: &State, state_file: &Path) -> String {
    let Demo { token_profile_uuid, root_certificate_uuid, service_uuid, policy_uuid, releases } = state.demo;
    let file = std::path::absolute(state_file).unwrap_or_else(|_| state_file.to_owned());
    let filled = [
        ("{base}", state.base.clone()),
        ("{ca}", path_word(&state.ca_file)),
        ("{state}", path_word(&file)),
        ("{card}", CARD.to_owned()),
        ("{profile}", token_profile_uuid.to_string()),
        ("{service}", service_uuid.to_string()),
        ("{policy}", policy_uuid.to_string()),
        ("{root}", root_certificate_uuid.to_string()),
        ("{releaseService}", releases.service_uuid.to_string()),
        ("{releasePolicy}", releases.policy_uuid.to_string()),
    ];
    filled.into_iter().fold(LINES.to_owned(), |lines, (name, value)| lines.replace(name, &value))
}
