//! What approvers see of what is inside of an upload, beside what other programs wrote or read there.

use std::{fs, time::Duration};

use chancery_core::{Limits, ListLimits};
use chancery_formats::{Existing, Format};
use chancery_testkit::{Tool, temp_dir};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{deploy, installer, jars::java_archive, now, programs, sign};
use crate::app::Setup;
use crate::signing::{REQUESTS, RSA_2048, Service, Signing, bytes, submission};

/// What is in a file, as an approver sees it.
async fn contents(signing: &Signing, service: &Service, file: &[u8]) -> Value {
    let request = signing.submit(service, file).await;
    let found = signing.admin.get(&format!("{REQUESTS}/{request}?include=contents")).await.response().clone();
    assert_eq!(found.get("uploadData"), None);
    let contents = found["contents"].clone();
    assert_eq!(bytes(&contents["sha256"]), Sha256::digest(file).to_vec());
    contents
}

/// A service whose certificate has this name.
async fn named(signing: &Signing, name: &str, format: &str) -> Service {
    let change = |body: &mut Value| {
        body["pkisigning"]["signingFormat"] = json!(format);
        body["pkisigning"]["newCert"]["subjectOneline"] = json!(format!("CN=Made by {name},O=Test,C=DE"));
    };
    signing.deploy_with(name, 0, change).await
}

/// Lines that a tool printed.
fn printed(tool: Tool) -> Vec<String> {
    String::from_utf8(tool.run().stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The values of a name.
fn says(contents: &Value, name: &str) -> Vec<String> {
    let properties = contents["properties"].as_array().unwrap().iter();
    properties.filter(|one| one["name"] == name).map(|one| one["value"].as_str().unwrap().to_owned()).collect()
}

/// One caller has a few uploads in memory at a time, however often it asks.
#[tokio::test]
async fn uploads_are_looked_into_a_few_at_a_time() {
    // On a busy machine none that waits is refused because its turn came late.
    let wait_max = Duration::from_secs(20);
    let lists = ListLimits { at_once: 1, waiting_max: 1, wait_max, ..ListLimits::default() };
    let limits = Limits { lists, ..Limits::default() };
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let service = named(&signing, "many", "CMS").await;
    let request = signing.submit(&service, &vec![7; 8 << 20]).await;
    for include in ["contents", "uploadData"] {
        let path = format!("{REQUESTS}/{request}?include={include}");
        let answers = futures::future::join_all((0..16).map(|_| signing.admin.get(&path))).await;
        let (read, put_off): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status.as_u16() == 200);
        assert!(read.len() >= 2 && !put_off.is_empty(), "{include}: {} of 16", read.len());
        put_off.iter().for_each(|answer| answer.refused(429, "RateLimited", None));
    }
}

const RESOURCE: &str = r#"1 VERSIONINFO
FILEVERSION 1,2,3,4
PRODUCTVERSION 5,6,7,8
BEGIN
  BLOCK "StringFileInfo"
  BEGIN
    BLOCK "040904b0"
    BEGIN
      VALUE "CompanyName", "A maker"
      VALUE "FileDescription", "What it is"
      VALUE "FileVersion", "1.2"
      VALUE "OriginalFilename", "program.exe"
      VALUE "ProductName", "A product"
      VALUE "ProductVersion", "5.6 beta"
      VALUE "Comments", "not asked for"
    END
    BLOCK "040704b0"
    BEGIN
      VALUE "ProductName", "Ein Produkt"
    END
  END
END
"#;

#[tokio::test]
async fn programs_say_what_windres_wrote() {
    let signing = now().await;
    let service = deploy(&signing, "programs", "Authenticode", RSA_2048).await;
    let folder = temp_dir();
    fs::write(folder.path().join("v.rc"), RESOURCE).unwrap();
    let tool = |name: &str, arguments: &[&str]| {
        Tool::new(&format!("x86_64-w64-mingw32-{name}")).args(arguments).folder(folder.path()).run()
    };
    let _compiled = tool("windres", &["--preprocessor=cat", "v.rc", "-O", "coff", "v.o"]);
    let _library = tool("ld", &["-shared", "-o", "x.dll", "v.o"]);
    let _program = tool("ld", &["--subsystem", "windows", "-e", "0", "-o", "x.exe", "v.o"]);
    let _driver = tool("ld", &["--subsystem", "native", "-e", "0", "-o", "x.sys", "v.o"]);
    for (name, kind) in [("x.dll", "Library"), ("x.exe", "Program"), ("x.sys", "Driver")] {
        let found = contents(&signing, &service, &fs::read(folder.path().join(name)).unwrap()).await;
        assert_eq!((&found["kind"], &found["machine"]), (&json!(kind), &json!("x86-64")));
        let expected = [
            ("CompanyName", vec!["A maker"]),
            ("FileDescription", vec!["What it is"]),
            ("FileVersion", vec!["1.2"]),
            ("FixedFileVersion", vec!["1.2.3.4"]),
            ("FixedProductVersion", vec!["5.6.7.8"]),
            ("OriginalFilename", vec!["program.exe"]),
            ("ProductName", vec!["A product", "Ein Produkt"]),
            ("ProductVersion", vec!["5.6 beta"]),
            ("Comments", vec![]),
        ];
        expected.iter().for_each(|(name, values)| assert_eq!(says(&found, name), *values, "{name}"));
        assert_eq!((&found["signaturesTotal"], &found["isCut"]), (&json!(0), &json!(false)));
    }
}

/// Programs that somebody else made, of three machines; `windres` reads the resources of two of them.
#[tokio::test]
async fn programs_of_others_and_their_signatures() {
    let signing = now().await;
    let [one, other] = ["one", "other"];
    let first = named(&signing, one, "Authenticode").await;
    let second = named(&signing, other, "Authenticode").await;
    for (program, machine) in programs().into_iter().zip(["x86", "x86-64", "Arm64"]) {
        let found = contents(&signing, &first, &program).await;
        assert_eq!((&found["machine"], &found["kind"]), (&json!(machine), &json!("Program")));
        assert_eq!(says(&found, "ProductName"), ["Simple Launcher"]);
        assert_eq!(says(&found, "FileDescription"), ["Simple Launcher Executable"]);
    }
    let program = programs().remove(0);
    let once = sign(&signing, &first, Format::Pe, &program, Existing::Replace).await;
    let twice = sign(&signing, &second, Format::Pe, &once, Existing::Append).await;
    for (file, count) in [(program, 0), (once, 1), (twice, 2)] {
        let found = contents(&signing, &first, &file).await;
        assert_eq!(found["signaturesTotal"], count);
        let subjects = found["signatures"].as_array().unwrap().iter();
        let subjects: Vec<_> = subjects.map(|one| one["subject"].as_str().unwrap().to_owned()).collect();
        assert_eq!(subjects.len(), count);
        let expected = [one, other].map(|name| format!("CN=Made by {name},O=Test,C=DE"));
        assert_eq!(subjects, expected[..count]);
    }
}

#[tokio::test]
async fn installers_say_what_msibuild_wrote() {
    let signing = now().await;
    let service = deploy(&signing, "installers", "Msi", RSA_2048).await;
    let folder = temp_dir();
    let file = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    file("x.msi", &installer());
    let long = "x".repeat(70_000);
    let table = format!(
        "Property\tValue\r\ns72\tl0\r\nProperty\tProperty\r\nManufacturer\tA maker\r\nLicense\t{long}\r\n\
         ProductName\tA product\r\nProductVersion\t1.2.3\r\n"
    );
    file("Property.idt", table.as_bytes());
    let _imported = Tool::new("msibuild").args(["x.msi", "-i", "Property.idt"]).folder(folder.path()).run();
    let made = fs::read(folder.path().join("x.msi")).unwrap();
    let found = contents(&signing, &service, &made).await;
    assert_eq!(found["kind"], "Installer");
    for (name, value) in [("Manufacturer", "A maker"), ("ProductName", "A product"), ("ProductVersion", "1.2.3")] {
        assert_eq!(says(&found, name), [value]);
    }
    assert_eq!(says(&found, "License"), [""; 0]);
    for (name, value) in [
        ("Summary.Subject", "A product"),
        ("Summary.Author", "A maker"),
        ("Summary.Template", ";1033"),
        ("Summary.RevisionNumber", "{12345678-1234-1234-1234-123456789012}"),
    ] {
        assert_eq!(says(&found, name), [value], "{name}");
    }
    // Tables are streams too, which it does not list among these.
    let streams = printed(Tool::new("msiinfo").args(["streams", "x.msi"]).folder(folder.path()));
    assert!(found["entriesTotal"].as_u64().unwrap() > streams.len() as u64, "{streams:?}");
    let signed = sign(&signing, &service, Format::Msi, &made, Existing::Replace).await;
    assert_eq!(contents(&signing, &service, &signed).await["signaturesTotal"], 1);
}

#[tokio::test]
async fn archives_say_what_jar_wrote() {
    let signing = now().await;
    let service = named(&signing, "jars", "JavaJar").await;
    let folder = temp_dir();
    let archive = java_archive(&folder);
    let found = contents(&signing, &service, &archive).await;
    assert_eq!(found["kind"], "Archive");
    assert_eq!(says(&found, "Implementation-Title"), ["Example"]);
    assert_eq!(says(&found, "Multi-Release"), ["true"]);
    let listed = printed(Tool::new("jar").args(["--list", "--file", "x.jar"]).folder(folder.path()));
    let names: Vec<_> = found["entries"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, listed);
    assert_eq!(found["entriesTotal"], names.len());
    let large = found["entries"].as_array().unwrap().iter().find(|one| one["size"] == 80_000);
    assert!(large.is_some_and(|one| one["name"].as_str().unwrap().ends_with("ü.txt")));
    let signed = sign(&signing, &service, Format::Jar, &archive, Existing::Replace).await;
    let found = contents(&signing, &service, &signed).await;
    assert_eq!(found["signaturesTotal"], 1);
    assert_eq!(found["signatures"], json!([{"subject": "CN=Made by jars,O=Test,C=DE"}]));
}

#[tokio::test]
async fn of_digests_alone_and_of_any_file_little_is_known() {
    let signing = now().await;
    let service = deploy(&signing, "any", "CMS", RSA_2048).await;
    let found = contents(&signing, &service, &programs()[0]).await;
    assert_eq!((found.get("kind"), &found["properties"]), (None, &json!([])));
    let mut body = submission(&service, b"");
    body.as_object_mut().unwrap().remove("uploadData");
    body["digest"] = json!(chancery_types::Base64::encode(&Sha256::digest(b"x")));
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let found = signing.admin.get(&format!("{REQUESTS}/{request}?include=contents")).await;
    assert_eq!(found.response().get("contents"), None);
}
