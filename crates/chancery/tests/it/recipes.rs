//! docs/recipes: what a recipe says that it was run is run here, as it stands there.

use std::{fs, path::Path, thread::scope};

use chancery_testkit::Tool;

use crate::client::place::{Place, Said};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recipes");
const VENV: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv");

/// The lines of a pipeline's steps, as a shell gets them: from the YAML of GitHub and GitLab.
const STEPS: &str = r#"
import json, sys, yaml
pipeline = yaml.safe_load(sys.stdin)
if 'jobs' in pipeline:
    job = next(iter(pipeline['jobs'].values()))
    env, lines = job['env'], [step['run'] for step in job['steps'] if 'run' in step]
else:
    job = next(iter(pipeline.values()))
    env, lines = job['variables'], job['script']
print(json.dumps({'env': env, 'lines': lines}))
"#;

fn recipe(name: &str) -> String {
    fs::read_to_string(Path::new(FOLDER).join(name)).unwrap()
}

/// The blocks of one language, in their order.
fn blocks(recipe: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    recipe.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

/// A build's folder with what it made, and the services; the first block of the recipe has made role and key.
struct Build {
    place: Place,
    recipe: String,
}

impl Build {
    fn of(name: &str, archives: &str) -> Self {
        let (place, recipe) = (Place::logged_in(), recipe(name));
        for (service, format) in [("programs", "Authenticode"), ("archives", archives)] {
            service_of(&place, service, format, 1);
        }
        place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
        place.write("Makefile", "dist:\n\tmkdir -p dist && cp app.exe dist/app.exe && echo content > dist/app.tar\n");
        place.write("app.exe", program());
        let build = Self { place, recipe };
        build.place.sh(&blocks(&build.recipe, "sh")[0]).done();
        assert!(fs::read_to_string(build.place.path("release-ci.key")).unwrap().len() > 20);
        build
    }

    /// Lines by the application alone: with this environment, and with nobody's login.
    fn sh(&self, env: &str, lines: &str) -> Said {
        let env = env.replace("https://keys.example.org:8443", &self.place.base());
        self.place.sh(&format!("set -e; export XDG_CONFIG_HOME=$PWD/nobody; {env}\n{lines}"))
    }

    /// The environment that recipes without a pipeline ask for.
    fn own(&self, lines: &str) -> Said {
        let env = "export CHANCERY_SERVER=https://keys.example.org:8443 CHANCERY_CA=$PWD/ca.pem CHANCERY_API_KEY_FILE=$PWD/release-ci.key";
        self.sh(env, lines)
    }

    /// The same while somebody approves so many requests.
    fn approved(&self, requests: usize, run: impl FnOnce() -> Said + Send) -> String {
        let said = scope(|scope| {
            let running = scope.spawn(run);
            self.place.until_waiting(requests);
            let list = self.place.json("chancery request list --state Approval");
            for item in list["items"].as_array().unwrap() {
                let uuid = item["uuid"].as_str().unwrap();
                self.place.sh(&format!("chancery approve {uuid} --yes --server-profile approver")).done();
            }
            running.join().unwrap()
        });
        said.done()
    }

    fn program_is_signed(&self, file: &str) {
        let said = self.place.sh(&format!("osslsigncode verify -CAfile root.pem -in {file}"));
        assert!(said.code == Some(0) && said.out.contains("Signature verification: ok"), "{file}: {said:?}");
    }

    fn archive_is_signed(&self, file: &str) {
        let line = format!(
            "openssl cms -verify -binary -inform DER -in {file}.p7s -content {file} -CAfile root.pem -purpose any -out verified"
        );
        self.place.sh(&line).done();
    }
}

fn service_of(place: &Place, name: &str, format: &str, approvals: u32) {
    let line = format!(
        "chancery service create --issuer 'Chancery Demo Root' --validity 1y --hash Sha2_256 --num-approvals {approvals} \
         --key-type 'RSA 3072 Signing' --name {name} --subject CN={name} --format {format}"
    );
    place.sh(&line).done();
}

/// A program for Windows that comes with the tests' Python.
fn program() -> Vec<u8> {
    let python = fs::read_dir(Path::new(VENV).join("lib")).unwrap().flatten().next().unwrap().path();
    fs::read(python.join("site-packages/pip/_vendor/distlib/w64.exe")).unwrap()
}

/// The steps of a pipeline in YAML, run one after the other, with what the runner would put in.
fn pipeline(name: &str, given: &str) {
    let build = Build::of(name, "CMS");
    let yaml = blocks(&build.recipe, "yaml").remove(0);
    let steps = Tool::new(&format!("{VENV}/bin/python")).args(["-c", STEPS]).input(yaml).run().text();
    let steps: serde_json::Value = serde_json::from_str(&steps).unwrap();
    let key = fs::read_to_string(build.place.path("release-ci.key")).unwrap();
    let mut env = format!("export {given}; ");
    for (name, value) in steps["env"].as_object().unwrap() {
        let value = value.as_str().unwrap().replace("${{ github.workspace }}", "$PWD");
        let value = value.replace("${{ secrets.CHANCERY_API_KEY }}", key.trim());
        env += &format!("export {name}=\"{value}\"; ");
    }
    let lines: Vec<_> = steps["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let said = build.approved(2, || build.sh(&env, &lines.join("\n")));
    assert_eq!(said.matches("signed and verified").count(), 2, "{said}");
    build.program_is_signed("dist/app.exe");
    build.archive_is_signed("dist/app.tar");
    let request = build.place.json("chancery request show app.exe");
    assert_eq!((&request["note"], &request["metadata"]["commit"]), (&"v2.0".into(), &"0a1b2c".into()));
}

#[test]
fn github_actions() {
    pipeline("github-actions.md", "GITHUB_REF_NAME=v2.0 GITHUB_SHA=0a1b2c GITHUB_RUN_ID=7");
}

#[test]
fn gitlab_ci() {
    let given = "CI_COMMIT_TAG=v2.0 CI_COMMIT_SHA=0a1b2c CI_JOB_ID=7 CI_PROJECT_DIR=$PWD CHANCERY_API_KEY_FILE=$PWD/release-ci.key";
    pipeline("gitlab-ci.md", given);
}

#[test]
fn jenkins() {
    let build = Build::of("jenkins.md", "CMS");
    let pipeline = blocks(&build.recipe, "groovy").remove(0);
    assert!(pipeline.contains("sh 'make dist'"));
    let sign = pipeline.split("sh '''").nth(1).unwrap().split("'''").next().unwrap();
    let given = "WORKSPACE=$PWD BUILD_TAG=v2.0 GIT_COMMIT=0a1b2c CHANCERY_API_KEY_FILE=$PWD/release-ci.key";
    // Groovy's texts are texts of a shell, too.
    let environment = pipeline.split("environment {\n").nth(1).unwrap().split("\n  }\n").next().unwrap();
    let exports = environment.lines().map(|line| format!("export {}; ", line.trim().replacen(" = ", "=", 1)));
    let env = format!("export {given}; {}", exports.collect::<String>());
    let said = build.approved(2, || build.sh(&env, &format!("make dist\n{sign}")));
    assert_eq!(said.matches("signed and verified").count(), 2, "{said}");
    build.program_is_signed("dist/app.exe");
    build.archive_is_signed("dist/app.tar");
}

/// An archive that `chancery sign` signs inside, and `jarsigner` takes.
fn archive(build: &Build, folder: &str) {
    let place = &build.place;
    place.sh(&format!("mkdir -p {folder} && jar --create --file {folder}/app.jar app.exe")).done();
    let trust = "keytool -importcert -noprompt -trustcacerts -alias root -file root.pem -keystore trust.p12 -storepass changeit";
    place.sh(trust).done();
}

fn archive_is_trusted(build: &Build, file: &str) {
    let said = build.place.sh(&format!("jarsigner -verify -strict -keystore trust.p12 -storepass changeit {file}"));
    assert!(said.out.contains("jar verified."), "{said:?}");
}

#[test]
fn maven() {
    let build = Build::of("maven.md", "JavaJar");
    archive(&build, "target");
    let xml = blocks(&build.recipe, "xml").remove(0);
    let inner = |tag: &str| xml.split(&format!("<{tag}>")).nth(1).unwrap().split(&format!("</{tag}>")).next().unwrap();
    let arguments = inner("commandlineArgs").replace("${project.version}", "2.0");
    let line = format!("{} {arguments}", inner("executable"));
    let said = build.approved(1, || build.own(&line));
    assert!(said.contains("signed and verified: target/app.jar"), "{said}");
    archive_is_trusted(&build, "target/app.jar");

    // Through PKCS#11 nobody approves.
    service_of(&build.place, "releases", "Raw", 0);
    build.place.sh("jar --create --file target/app.jar app.exe").done();
    let config = blocks(&build.recipe, "toml").remove(0);
    build.place.write("pkcs11.toml", config.replace("https://keys.example.org:8443", &build.place.base()));
    let module = crate::pkcs11::module().display().to_string();
    let lines = blocks(&build.recipe, "sh")[1].replace("/usr/local/lib/libchancery_pkcs11.so", &module);
    let said = build.sh("", &lines).done();
    assert!(said.contains("jar verified."), "{said}");
    archive_is_trusted(&build, "target/app.jar");
}

#[test]
fn gradle() {
    let build = Build::of("gradle.md", "JavaJar");
    archive(&build, "build/libs");
    let task = blocks(&build.recipe, "groovy").remove(0);
    let words = task.split("commandLine ").nth(1).unwrap().lines().next().unwrap().replace(',', "");
    let said = build.approved(1, || build.own(&words));
    assert!(said.contains("signed and verified: build/libs/app.jar"), "{said}");
    archive_is_trusted(&build, "build/libs/app.jar");
}

#[test]
fn dotnet() {
    let build = Build::of("dotnet.md", "CMS");
    build.place.sh("mkdir publish && cp app.exe publish/app.exe && cp app.exe publish/app.dll").done();
    let line = blocks(&build.recipe, "sh").remove(1);
    build.approved(1, || build.own(&line));
    ["publish/app.exe", "publish/app.dll"].iter().for_each(|file| build.program_is_signed(file));
}

#[test]
fn electron_builder() {
    let build = Build::of("electron-builder.md", "CMS");
    build.place.write("chancery-sign.cjs", blocks(&build.recipe, "js").remove(0));
    let options: serde_json::Value = serde_json::from_str(&blocks(&build.recipe, "json")[0]).unwrap();
    assert_eq!(options["win"]["signtoolOptions"]["sign"], "./chancery-sign.cjs");
    build.place.sh(&blocks(&build.recipe, "sh")[1]).done();
    build.place.sh("chancery proposal approve 'app 2.0' --server-profile approver").done();
    build.place.sh("cp app.exe first.exe && cp app.exe second.exe").done();
    let script = "const sign = require('./chancery-sign.cjs').default; \
        (async () => { for (const path of ['first.exe', 'second.exe']) await sign({ path }); })()";
    build.own(&format!("node -e \"{script}\"")).done();
    ["first.exe", "second.exe"].iter().for_each(|file| build.program_is_signed(file));
}

#[test]
fn cargo_dist() {
    let build = Build::of("cargo-dist.md", "CMS");
    build
        .place
        .sh("mkdir -p target/distrib && echo one > target/distrib/app.tar.xz && echo two > target/distrib/app.zip")
        .done();
    let lines = blocks(&build.recipe, "sh").remove(1);
    build.approved(1, || build.own(&lines));
    ["target/distrib/app.tar.xz", "target/distrib/app.zip"].iter().for_each(|file| build.archive_is_signed(file));
}

/// A recipe that nobody runs may say nothing of the kind.
#[test]
fn every_recipe_says_what_was_run() {
    let index = recipe("README.md");
    let source = include_str!("recipes.rs");
    for entry in fs::read_dir(FOLDER).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name == "README.md" {
            continue;
        }
        assert!(index.contains(&format!("({name})")), "{name} is not in the index");
        assert!(source.contains(&format!("\"{name}\"")), "{name} has no test");
        let text = recipe(&name);
        assert!(text.contains("**What was run**: ") && text.contains("not"), "{name}");
    }
}
