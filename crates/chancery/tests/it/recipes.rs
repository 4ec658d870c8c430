//! docs/recipes: what a recipe says that it was run is run here, as it stands there.

use std::{fs, path::Path, thread::scope};

use chancery_testkit::Tool;

use crate::client::place::{Place, Said};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recipes");
const VENV: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv");

/// The lines of a pipeline's steps, as a shell gets them: from the YAML of GitHub and GitLab. Each step of GitHub is a shell of
/// its own, with the programs that earlier ones added.
const STEPS: &str = r#"
import json, shlex, sys, yaml
def shell(step):
    lines = ''.join(f'export {name}={shlex.quote(value)}\n' for name, value in step.get('env', {}).items())
    place = f"cd {shlex.quote(step['working-directory'])}\n" if 'working-directory' in step else ''
    return f'(\n{lines}{place}{step["run"]})\nPATH="$(cat "$GITHUB_PATH"):$PATH"'
pipeline = yaml.safe_load(sys.stdin)
if 'jobs' in pipeline:
    job = next(iter(pipeline['jobs'].values()))
    env, lines = job['env'], [shell(step) for step in job['steps'] if 'run' in step]
else:
    job = next(iter(pipeline.values()))
    env, lines = job['variables'], job['script']
print(json.dumps({'env': env, 'lines': lines}))
"#;

/// Whether a text is Groovy.
const GROOVY: &str = r#"
import sys, tree_sitter, tree_sitter_groovy
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_groovy.language()))
sys.exit(1 if parser.parse(sys.stdin.buffer.read()).root_node.has_error else 0)
"#;

/// Where the download of the recipes is, and its sum.
const URL: &str = "https://downloads.example.org/chancery/1.0.0/x86_64-linux";
const SUM: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

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
    fn of(name: &str) -> Self {
        let (place, recipe) = (Place::logged_in(), recipe(name));
        place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
        place.write("Makefile", "dist:\n\tmkdir -p dist && cp app.exe dist/app.exe && echo content > dist/app.tar\n");
        place.write("app.exe", program());
        let build = Self { place, recipe };
        build.place.sh(&blocks(&build.recipe, "sh")[0].replace("Example Root", "Chancery Demo Root")).done();
        build.place.write("other", "content");
        let services = build.place.json("chancery service list");
        let services = services["results"].as_array().unwrap().iter().map(|service| &service["objInfo"]["name"]);
        for service in services.filter_map(|name| name.as_str()).filter(|name| !name.starts_with("demo ")) {
            let file = if service == "programs" { "app.exe" } else { "other" };
            let file = if name.starts_with("maven") || name.starts_with("gradle") { "other.jar" } else { file };
            build.place.sh("jar --create --file other.jar other").done();
            let refused = build.place.sh(&format!("chancery sign {file} --service {service}")).failed(5);
            assert!(refused.contains("NotAuthorized"), "only the role submits to {service}: {refused}");
        }
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

/// The steps of a pipeline in YAML, run one after the other, with what the runner would put in. With another sum than that of
/// the download nothing goes on.
fn pipeline(build: &Build, given: &str, requests: usize) -> String {
    let place = &build.place;
    // One line stands for the program: a debug build has hundreds of megabytes, which each run would copy and hash.
    place.write("downloaded", format!("#!/bin/sh\nexec '{}' \"$@\"\n", crate::process::PROGRAM));
    let sum = place.sh("sha256sum downloaded | cut -d ' ' -f 1").done();
    let yaml = blocks(&build.recipe, "yaml").remove(0);
    assert!(yaml.contains(URL) && yaml.contains(SUM), "it fetches the program by its sum");
    let yaml = yaml.replace(URL, &format!("file://{}", place.path("downloaded").display()));
    let run = |yaml: String| {
        let steps = Tool::new(&format!("{VENV}/bin/python")).args(["-c", STEPS]).input(yaml).run().text();
        let steps: serde_json::Value = serde_json::from_str(&steps).unwrap();
        let key = fs::read_to_string(place.path("release-ci.key")).unwrap();
        let mut env = format!("export RUNNER_TEMP=$PWD/runner GITHUB_PATH=$PWD/programs {given}; : > programs; ");
        for (name, value) in steps["env"].as_object().unwrap() {
            let value = value.as_str().unwrap().replace("${{ github.workspace }}", "$PWD");
            let value = value.replace("${{ secrets.CHANCERY_API_KEY }}", key.trim());
            env += &format!("export {name}=\"{value}\"; ");
        }
        let lines: Vec<_> = steps["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        build.sh(&env, &format!("{}\ncommand -v chancery", lines.join("\n")))
    };
    let other = run(yaml.clone());
    assert!(other.code != Some(0) && other.err.contains("WARNING: 1 computed checksum did NOT match"), "{other:?}");
    let said = build.approved(requests, || run(yaml.replace(SUM, sum.trim())));
    let used = said.lines().next_back().unwrap();
    assert!(used.starts_with(&place.folder().display().to_string()), "the download is what ran: {used}");
    said
}

fn of_a_tag(build: &Build, given: &str) {
    let said = pipeline(build, given, 2);
    assert_eq!(said.matches("signed and verified").count(), 2, "{said}");
    build.program_is_signed("dist/app.exe");
    build.archive_is_signed("dist/app.tar");
    let request = build.place.json("chancery request show app.exe");
    assert_eq!((&request["note"], &request["metadata"]["commit"]), (&"v2.0".into(), &"0a1b2c".into()));
}

#[test]
fn github_actions() {
    of_a_tag(&Build::of("github-actions.md"), "GITHUB_REF_NAME=v2.0 GITHUB_SHA=0a1b2c GITHUB_RUN_ID=7");
}

#[test]
fn gitlab_ci() {
    let given = "CI_COMMIT_TAG=v2.0 CI_COMMIT_SHA=0a1b2c CI_JOB_ID=7 CI_PROJECT_DIR=$PWD CHANCERY_API_KEY_FILE=$PWD/release-ci.key";
    of_a_tag(&Build::of("gitlab-ci.md"), given);
}

fn is_groovy(text: &str) {
    let parsed = |text: &str| Tool::new(&format!("{VENV}/bin/python")).args(["-c", GROOVY]).input(text).try_run();
    let whole = parsed(text);
    assert!(whole.status.success(), "{text}: {}", whole.stderr);
    let half = parsed(text.trim_end().strip_suffix('}').unwrap());
    assert_eq!((half.status.code(), half.stderr.as_str()), (Some(1), ""), "half of it is none");
}

/// The text of the first element of this name in well-formed XML.
fn element(xml: &str, name: &str) -> String {
    let find = "import sys; from xml.etree import ElementTree as E\n\
        tags = (one for one in E.fromstring(sys.stdin.read()).iter() if one.tag.split('}')[-1] == sys.argv[1])\n\
        print(next(tags).text.strip())";
    Tool::new("python3").args(["-c", find, name]).input(xml).run().text().trim().to_owned()
}

#[test]
fn jenkins() {
    let build = Build::of("jenkins.md");
    let pipeline = blocks(&build.recipe, "groovy").remove(0);
    is_groovy(&pipeline);
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
    let build = Build::of("maven.md");
    archive(&build, "target");
    let xml = blocks(&build.recipe, "xml");
    assert_eq!((element(&xml[0], "finalName"), element(&xml[0], "phase")), ("app".to_owned(), "package".to_owned()));
    let arguments = element(&xml[0], "commandlineArgs").replace("${project.version}", &element(&xml[0], "version"));
    let line = format!("{} {arguments}", element(&xml[0], "executable"));
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

    // As the plugin's configuration has it.
    build.place.sh("jar --create --file target/app.jar app.exe").done();
    let given = |option: &str| format!("-{option} {}", element(&xml[1], option));
    let list = "import sys; from xml.etree import ElementTree as E; print(*(one.text for one in E.fromstring(sys.stdin.read()).iter('argument')))";
    let more = Tool::new("python3").args(["-c", list]).input(xml[1].as_str()).run().text();
    let options = ["keystore", "storetype", "storepass"].map(given).join(" ");
    let line = format!("jarsigner {options} {} target/app.jar {}", more.trim(), element(&xml[1], "alias"));
    build.sh("export CHANCERY_PKCS11_CONFIG=$PWD/pkcs11.toml", &line).done();
    archive_is_trusted(&build, "target/app.jar");
}

#[test]
fn gradle() {
    let build = Build::of("gradle.md");
    archive(&build, "build/libs");
    let task = blocks(&build.recipe, "groovy").remove(0);
    is_groovy(&task);
    let words = task.split("commandLine ").nth(1).unwrap().lines().next().unwrap().replace(',', "");
    let said = build.approved(1, || build.own(&words));
    assert!(said.contains("signed and verified: build/libs/app.jar"), "{said}");
    archive_is_trusted(&build, "build/libs/app.jar");
}

#[test]
fn dotnet() {
    let build = Build::of("dotnet.md");
    build.place.sh("mkdir publish && cp app.exe publish/app.exe && cp app.exe publish/app.dll").done();
    let line = blocks(&build.recipe, "sh").remove(1);
    build.approved(1, || build.own(&line));
    ["publish/app.exe", "publish/app.dll"].iter().for_each(|file| build.program_is_signed(file));
}

#[test]
fn electron_builder() {
    let build = Build::of("electron-builder.md");
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
    let build = Build::of("cargo-dist.md");
    build
        .place
        .sh("mkdir -p target/distrib && echo one > target/distrib/app.tar.xz && echo two > target/distrib/app.zip")
        .done();
    pipeline(&build, "GITHUB_REF_NAME=v2.0", 1);
    assert_eq!(build.place.json("chancery request list")["items"][0]["name"], "app v2.0");
    ["target/distrib/app.tar.xz", "target/distrib/app.zip"].iter().for_each(|file| build.archive_is_signed(file));
}

/// A policy that is there is narrowed by the lines of the index.
#[test]
fn a_policy_that_is_there_is_narrowed_to_the_role() {
    let place = Place::logged_in();
    service_of(&place, "programs", "CMS", 0);
    place.write("file", "content");
    place.sh("chancery sign file --service programs").done();
    place.sh("chancery role create --name 'Release builds' --logins-required 1 --perm Signing:Submit").done();
    let lines = recipe("README.md").split("```sh\n").nth(1).unwrap().split("```").next().unwrap().to_owned();
    place.sh(&format!("set -e\n{lines}")).done();
    let refused = place.sh("chancery sign file --service programs").failed(5);
    assert!(refused.contains("NotAuthorized"), "{refused}");
    place.sh("chancery identity create --name ci --kind Application --role 'Release builds' | sed -n 's/^apiKey  *//p' > ci.key").done();
    let by_key = format!("--server {} --ca ca.pem --api-key-file ci.key", place.base());
    place.sh(&format!("chancery sign file --service programs {by_key}")).done();
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
