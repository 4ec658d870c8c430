//! SoftHSM 2, as programs use it: keys in a token, signatures through PKCS#11, by a process on every core. The loop is
//! Python's, with the package python-pkcs11; it adds some microseconds to a signature.

use std::{fs, path::PathBuf};

use super::{bare::Bare, report::Report};
use crate::{Result, sh};

const PACKAGE: &str = "python-pkcs11==0.10.1";
const MODULES: [&str; 2] = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so"];

/// Prints how many signatures all processes made in a second, and the processor time of one in microseconds.
const LOOP: &str = "\
import multiprocessing, sys, time
import pkcs11
from pkcs11.util.ec import encode_named_curve_parameters

module, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])

def sign(_):
    with pkcs11.lib(module).get_token(token_label='bench').open(rw=True, user_pin='123456') as session:
        if kind == 'rsa3072':
            _, key = session.generate_keypair(pkcs11.KeyType.RSA, 3072)
            message, mechanism = b'7' * 128, pkcs11.Mechanism.SHA256_RSA_PKCS
        else:
            curve = {pkcs11.Attribute.EC_PARAMS: encode_named_curve_parameters('secp256r1')}
            parameters = session.create_domain_parameters(pkcs11.KeyType.EC, curve, local=True)
            _, key = parameters.generate_keypair()
            message, mechanism = b'7' * 32, pkcs11.Mechanism.ECDSA
        done, begin, cpu = 0, time.monotonic(), time.process_time()
        while time.monotonic() < begin + seconds:
            key.sign(message, mechanism=mechanism)
            done += 1
        return done / (time.monotonic() - begin), (time.process_time() - cpu) / done

if __name__ == '__main__':
    cores = multiprocessing.cpu_count()
    with multiprocessing.get_context('spawn').Pool(cores) as pool:
        figures = pool.map(sign, range(cores), 1)
    print(sum(rate for rate, _ in figures), 1e6 * sum(cpu for _, cpu in figures) / cores)
";

/// A token that keys can be made in.
pub(super) struct Token {
    python: PathBuf,
    script: PathBuf,
    config: PathBuf,
    module: &'static str,
}

impl Token {
    /// `None`, and a note, where SoftHSM or what calls it is not there.
    pub(super) fn make(report: &mut Report) -> Result<Option<Self>> {
        let Some(module) = MODULES.into_iter().find(|module| fs::exists(module).unwrap_or(false)) else {
            report.note("SoftHSM 2 is not installed (Debian: softhsm2), so it was left out.");
            return Ok(None);
        };
        let python = match python() {
            Ok(python) => python,
            Err(why) => {
                report.note(format!("SoftHSM 2 was left out, since {PACKAGE} cannot be installed: {why}"));
                return Ok(None);
            }
        };
        let folder = sh::root().join("target/bench/data-softhsm");
        let _none_before = fs::remove_dir_all(&folder);
        let tokens = folder.join("tokens");
        fs::create_dir_all(&tokens).map_err(|error| format!("{}: {error}", tokens.display()))?;
        let (config, script) = (folder.join("softhsm2.conf"), folder.join("sign.py"));
        let settings = format!("directories.tokendir = {}\nobjectstore.backend = file\n", tokens.display());
        fs::write(&config, settings).and_then(|()| fs::write(&script, LOOP)).map_err(|error| error.to_string())?;
        let options = ["--init-token", "--free", "--label", "bench", "--so-pin", "12345678", "--pin", "123456"];
        sh::output(sh::command("softhsm2-util").args(options).env("SOFTHSM2_CONF", &config))?;
        Ok(Some(Self { python, script, config, module }))
    }

    /// Signs with a new key of this kind for half a second.
    pub(super) fn measure(&self, kind: &str) -> Result<Bare> {
        let mut python = sh::command(&self.python);
        python.arg(&self.script).args([self.module, kind, "0.5"]).env("SOFTHSM2_CONF", &self.config);
        let printed = sh::output(&mut python)?;
        let figures: Vec<f64> = printed.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
        match *figures.as_slice() {
            [per_s, cpu_us] => Ok(Bare { per_s, cpu_us }),
            _ => Err(format!("no figures of SoftHSM: {printed}")),
        }
    }
}

/// A Python with the package, in a folder of its own.
fn python() -> Result<PathBuf> {
    let venv = sh::tools_dir().join("pkcs11");
    let python = venv.join("bin/python");
    if sh::output(sh::command(&python).args(["-c", "import pkcs11"])).is_err() {
        sh::output(sh::command("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
        sh::output(sh::command(&python).args(install))?;
    }
    Ok(python)
}
