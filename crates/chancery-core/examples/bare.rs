//! What `cargo xtask bench` measures the server against: operations that it cannot do without, in a loop and nothing else.
//!
//! `bare OPERATION SECONDS THREADS` prints how many were done, in how many seconds, and how many nanoseconds of processor
//! time each took.
#![expect(clippy::print_stdout, reason = "it is a program for the terminal")]

use std::{
    env,
    error::Error,
    fs, thread,
    time::{Duration, Instant},
};

use argon2::{Argon2, PasswordHasher};
use aws_lc_rs::{
    rand::SystemRandom,
    rsa::{KeyPair, KeySize},
    signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, ML_DSA_65_SIGNING, PqdsaKeyPair, RSA_PKCS1_SHA256,
    },
};

type Failure = Box<dyn Error + Send + Sync>;
type Operation = Box<dyn FnMut() -> Result<(), Failure>>;

/// What is signed is as short as a signature's signed attributes.
const MESSAGE: &[u8] = &[7; 128];

fn main() -> Result<(), Failure> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [name, seconds, threads] = arguments.as_slice() else { return Err("OPERATION SECONDS THREADS".into()) };
    let (time, threads) = (Duration::from_secs_f64(seconds.parse()?), threads.parse::<u32>()?);
    let run = |name: String| move || repeat(operation(&name)?, time);
    let threads: Vec<_> = (0..threads).map(|_| thread::spawn(run(name.clone()))).collect();
    let (mut done, mut longest, mut busy_ns) = (0, Duration::ZERO, 0);
    for thread in threads {
        let (operations, took, on_cpu_ns) = thread.join().map_err(|_| "a thread panicked")??;
        (done, longest, busy_ns) = (done + operations, longest.max(took), busy_ns + on_cpu_ns);
    }
    println!("{done} {} {}", longest.as_secs_f64(), busy_ns / done.max(1));
    Ok(())
}

fn repeat(mut operation: Operation, time: Duration) -> Result<(u64, Duration, u64), Failure> {
    let (started, busy_ns) = (Instant::now(), on_cpu_ns()?);
    let mut done = 0;
    while started.elapsed() < time {
        operation()?;
        done += 1;
    }
    Ok((done, started.elapsed(), on_cpu_ns()? - busy_ns))
}

/// How long this thread has run on a processor; what others on the machine do does not count.
fn on_cpu_ns() -> Result<u64, Failure> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(text.split(' ').next().unwrap_or_default().parse()?)
}

fn operation(name: &str) -> Result<Operation, Failure> {
    Ok(match name {
        "rsa3072" => {
            let (key, random) = (KeyPair::generate(KeySize::Rsa3072)?, SystemRandom::new());
            let mut signature = vec![0; key.public_modulus_len()];
            Box::new(move || Ok(key.sign(&RSA_PKCS1_SHA256, &random, MESSAGE, &mut signature)?))
        }
        "p256" => {
            let (key, random) = (EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING)?, SystemRandom::new());
            Box::new(move || Ok(key.sign(&random, MESSAGE).map(drop)?))
        }
        "ed25519" => {
            let key = Ed25519KeyPair::generate()?;
            Box::new(move || Ok(key.try_sign(MESSAGE).map(drop)?))
        }
        "mldsa65" => {
            let key = PqdsaKeyPair::generate(&ML_DSA_65_SIGNING)?;
            let mut signature = vec![0; key.algorithm().signature_len()];
            Box::new(move || Ok(key.sign(MESSAGE, &mut signature).map(drop)?))
        }
        // The crate's own parameters are those that the server uses.
        "argon2" => {
            let salt = [7; 16];
            Box::new(move || {
                let hashed = Argon2::default().hash_password_with_salt(b"correct horse battery staple", &salt);
                hashed.map(drop).map_err(|error| error.to_string().into())
            })
        }
        _ => return Err(format!("no operation {name}").into()),
    })
}
