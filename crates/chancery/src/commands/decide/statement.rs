//! `chancery approve --show FILE`: what a passkey is to sign for an approval, looked at on a machine that neither the server nor
//! the page of the approval has a hand in. No server is asked.

use std::path::Path;

use chancery_core::Clock;
use chancery_types::{
    Base64, ExistingSignature, HashType, SigningFormat,
    wire::passkeys::{ApprovalStatement as Answered, ApprovalStatements},
};
use chancery_verify::{ApprovalStatement, Content, Subject, approval_challenge, hexadecimal};
use serde_json::{Value, json};

use super::compared::{REST_MAY_DIFFER, is_all_signed};
use crate::{
    client::{
        connection::Output,
        exit::{Exit, told, usage},
        inputs::read_text,
    },
    failure::{Failure, While as _},
    original::{Form, Original},
    output,
    shown::{Shown, ShownName, labelled},
};

/// A statement, and what the file says besides it.
struct Read {
    text: String,
    statement: ApprovalStatement,
    /// The approver's name, as the server has it.
    name: Option<String>,
}

pub(super) fn show(path: &Path, file: Option<&Path>, form: Output) -> Result<Exit, Failure> {
    let all = read(path)?;
    match form {
        Output::Json => output::line(json!(all.iter().map(as_json).collect::<Vec<_>>()))?,
        Output::Table => {
            let blocks: Vec<_> = all.iter().map(|one| lines(one, Clock::System.now_ms()).join("\n")).collect();
            output::line(blocks.join("\n\n"))?;
        }
    }
    if let Some(file) = file {
        let name = file.display().to_string();
        for one in &all {
            let format = compare(&one.statement, file)?;
            output::note(about(format, &Shown(&name)));
        }
    }
    Ok(Exit::Done)
}

/// The statements of a file: the text of one, or what the server answers, as the console saves it.
fn read(path: &Path) -> Result<Vec<Read>, Failure> {
    let text = read_text("--show", path)?;
    let wrong = |what: &str| told(Exit::Failed, format!("--show {}: {what}", path.display()));
    let none = || wrong("this is no statement of an approval, nor what the console saves of one");
    if let Some(statement) = ApprovalStatement::parse(&text) {
        return Ok(vec![Read { text, statement, name: None }]);
    }
    let mut answer: Value = serde_json::from_str(&text).map_err(|_| none())?;
    let answer = if answer["response"].is_object() { answer["response"].take() } else { answer };
    let ApprovalStatements { statements, .. } = serde_json::from_value(answer).map_err(|_| none())?;
    if statements.is_empty() {
        return Err(wrong("nobody has to sign this approval with a passkey"));
    }
    let one = |Answered { identity, statement: text, public_key, .. }: Answered| {
        let statement = ApprovalStatement::parse(&text).ok_or_else(none)?;
        if public_key.challenge != challenge(&text) {
            return Err(wrong("a passkey would sign another text than the one that the file shows"));
        }
        if identity.uuid != statement.approver {
            return Err(wrong("a statement is of somebody else than the file says"));
        }
        Ok(Read { text, statement, name: Some(identity.name) })
    };
    statements.into_iter().map(one).collect()
}

/// As browsers have it, in base64url.
fn challenge(text: &str) -> String {
    Base64::encode(&approval_challenge(text)).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// The lines as whoever approves has to see them.
fn lines(Read { text, statement, name }: &Read, now_ms: i64) -> Vec<String> {
    let over = if statement.until_ms <= now_ms { "  (over: it is not taken any more)" } else { "" };
    let named =
        |name: &Option<String>| name.as_ref().map(|name| format!("  ({}, as the server says)", ShownName(name)));
    let line = |(word, value): (&str, &str)| {
        let more = match word {
            "installation" => "  SHA-256 of the line that /log/vkey answers, without its end".to_owned(),
            "digest" if matches!(statement.subject, Subject::Request(_)) => "  of what is signed".to_owned(),
            "digest" => "  of what is proposed".to_owned(),
            "key" if statement.key.is_some() => "  SHA-256 of the public key that signs".to_owned(),
            "approver" => named(name).unwrap_or_default(),
            "until" => over.to_owned(),
            _ => String::new(),
        };
        let label = format!("{word:<14}");
        // A name may be long; all other words are of the statement's own form.
        if word == "approver" {
            return labelled(&label, &format!("{value}{more}"));
        }
        vec![format!("{label}{}{more}", Shown(value))]
    };
    let mut lines: Vec<_> = text.lines().skip(1).filter_map(|line| line.split_once(' ')).flat_map(line).collect();
    lines.push(format!("{:<14}{}", "challenge", challenge(text)));
    lines.push(format!("{:<14}{}", "", hexadecimal(&approval_challenge(text))));
    lines
}

fn as_json(Read { text, statement, name }: &Read) -> Value {
    let lines = text.lines().skip(1).filter_map(|line| line.split_once(' '));
    let members: serde_json::Map<_, _> = lines.map(|(word, value)| (word.to_owned(), json!(value))).collect();
    json!({
        "statement": text, "lines": members, "approverName": name, "challenge": challenge(text),
        "isOver": statement.until_ms <= Clock::System.now_ms(),
    })
}

/// What a file is of which a format would sign the digest of a statement.
fn about(format: SigningFormat, name: &Shown<'_>) -> String {
    if is_all_signed(format) {
        return format!("The file {name} is the one that would be signed, byte for byte.");
    }
    format!("The part of {name} that {format} signs is the one that would be signed. {REST_MAY_DIFFER}")
}

/// Whether this is the file whose signature would be approved, and of which format that is.
fn compare(statement: &ApprovalStatement, path: &Path) -> Result<SigningFormat, Failure> {
    let doing = || format!("--file {}", path.display());
    if matches!(statement.subject, Subject::Proposal(_)) {
        return Err(usage("--file is of a signing request, and this statement is of a proposal"));
    }
    let is_more = |content: &Content| content.items.is_some() || !content.besides.is_empty();
    if statement.content.as_ref().is_some_and(is_more) {
        let message = format!(
            "{}: a manifest, or a program that is signed with more than its content, is compared by chancery approve REQUEST \
             --file FILE",
            doing()
        );
        return Err(told(Exit::Failed, message));
    }
    let mut words = statement.consequence.split(' ').skip(1);
    let format = words.next().and_then(|word| word.parse::<SigningFormat>().ok());
    let hash = words.next().and_then(|word| word.parse::<HashType>().ok());
    let Some((format, hash)) = format.zip(hash) else {
        let message = format!("{}: it is not known what would be signed of it", doing());
        return Err(told(Exit::Failed, message));
    };
    let original = Original::open(path).doing("--file")?;
    let digest = |existing| original.digest(Form { format, hash, existing });
    let is_it = digest(ExistingSignature::Replace).doing(doing())? == statement.digest
        || digest(ExistingSignature::Append).is_ok_and(|digest| digest == statement.digest);
    if is_it {
        return Ok(format);
    }
    Err(told(Exit::Failed, format!("{}: the statement is of another digest", doing())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "chancery signed approval 1\n\
        installation 1111111111111111111111111111111111111111111111111111111111111111\n\
        request 01890a5d-ac96-774b-bcce-b302099a8057\n\
        decision Approve\n\
        digest 239f59ed55e737c77147cf55ad0c1b030b6d7ee748a7426952f9b852d5a935e5\n\
        content file\n\
        consequence Signature CMS Sha2_256\n\
        key 2222222222222222222222222222222222222222222222222222222222222222\n\
        policy 01890a5d-ac96-774b-bcce-b302099a8058 3333333333333333333333333333333333333333333333333333333333333333\n\
        approver 01890a5d-ac96-774b-bcce-b302099a8059\n\
        session 01890a5d-ac96-774b-bcce-b302099a8059\n\
        nonce 44444444444444444444444444444444\n\
        until 2026-06-21T12:05:00.500Z\n";

    fn answered(text: &str, challenge: &str) -> Value {
        json!({"demanded": true, "statements": [{
            "identity": {"name": "dora", "uuid": "01890a5d-ac96-774b-bcce-b302099a8059"}, "statement": text,
            "publicKey": {"challenge": challenge, "timeout": 1, "rpId": "kms.example.org", "allowCredentials": [], "userVerification": "required"},
            "ticket": "AA", "expiresAt": "2026-06-21T12:05:00.500Z",
        }]})
    }

    fn read_of(content: &str) -> Result<Vec<Read>, Failure> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        read(file.path())
    }

    #[test]
    fn a_statement_is_shown_with_its_challenge() {
        let all = read_of(TEXT).unwrap();
        let shown = lines(&all[0], all[0].statement.until_ms - 1);
        assert_eq!(shown.len(), 14);
        assert_eq!(shown[1], "request       01890a5d-ac96-774b-bcce-b302099a8057");
        assert_eq!(shown[4], "content       file");
        assert_eq!(shown[5], "consequence   Signature CMS Sha2_256");
        assert_eq!(shown[12], format!("challenge     {}", challenge(TEXT)));
        assert!(!shown[11].contains("over"), "{}", shown[11]);
        assert!(lines(&all[0], all[0].statement.until_ms)[11].contains("over"));
        // As sha256sum has it of the domain and the text.
        assert_eq!(challenge(TEXT), "SOKAPTaqIhbsa8WTKp8eFHgHqs02nbfpYGJI_chPXvA");
    }

    #[test]
    fn what_the_console_saves_is_read_and_has_to_agree_with_itself() {
        let good = answered(TEXT, &challenge(TEXT));
        let enveloped = json!({"success": true, "errorCode": "Success", "response": good});
        for content in [good.to_string(), enveloped.to_string()] {
            let all = read_of(&content).unwrap();
            assert_eq!(all[0].name.as_deref(), Some("dora"));
            assert!(lines(&all[0], 0)[8].contains("dora, as the server says"));
        }
        let mut of_another = good.clone();
        of_another["statements"][0]["identity"]["uuid"] = json!("01890a5d-ac96-774b-bcce-b302099a8050");
        for (content, why) in [
            (answered(TEXT, &challenge("another text")), "another text"),
            (answered(&TEXT.replace("decision Approve", "decision approve"), &challenge(TEXT)), "no statement"),
            (of_another, "somebody else"),
            (json!({"demanded": false, "statements": []}), "nobody has to sign"),
            (json!({"demanded": true}), "no statement"),
        ] {
            let failure = read_of(&content.to_string()).map(drop).unwrap_err().to_string();
            assert!(failure.contains(why), "{failure}");
        }
        assert!(read_of(&TEXT.replace('\n', "\r\n")).is_err(), "a passkey signs bytes");
    }

    #[test]
    fn a_file_is_compared_with_the_digest() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let statement = ApprovalStatement::parse(TEXT).unwrap();
        std::fs::write(file.path(), "payload").unwrap();
        let format = compare(&statement, file.path()).unwrap();
        assert!(about(format, &Shown("a.tar")).ends_with("byte for byte."));
        assert!(
            about(SigningFormat::Authenticode, &Shown("a.exe")).contains("The part of a.exe that Authenticode signs")
        );
        std::fs::write(file.path(), "another").unwrap();
        assert!(compare(&statement, file.path()).unwrap_err().to_string().contains("another digest"));
        let manifest = ApprovalStatement::parse(&TEXT.replace("content file", "content manifest 2")).unwrap();
        assert!(compare(&manifest, file.path()).unwrap_err().to_string().contains("a manifest"));
    }
}
