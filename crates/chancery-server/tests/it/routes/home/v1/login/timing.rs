//! Whether the time of a refused login tells what was wrong with it: Welch's t-test on what is below each of many
//! percentiles, as dudect has it ("Dude, is my code constant time?", Reparaz, Balasch and Verbauwhede, 2017).
//!
//! Passwords cost next to nothing here, so that what else a login does is not lost in Argon2's noise.

use std::time::{Duration, Instant};

use chancery_core::{Limits, LoginLimits};
use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    authenticator::{ORIGIN, authenticator, confirm, enrol as enrol_passkey, passkeys_path},
    second_factor::{enrol, proof_by},
};

/// Tries of all classes together.
const TRIES: usize = 20_000;

/// |t| from which on there is a leak: six tests of equal classes exceed it in one of 20,000 runs.
const LEAK: f64 = 4.5;

/// What is planted in the control.
const PLANTED: Duration = Duration::from_micros(100);

const PERCENTILES: usize = 100;

/// With fewer measurements left below a percentile nothing is said of them.
const ENOUGH: usize = 500;

/// What is wrong; the last class is another one's with a planted leak.
const CLASSES: [&str; 5] =
    ["an unknown name", "a wrong password", "a locked identity", "a wrong second factor", "a wrong password, planted"];

/// Chance, the same in each run (xorshift, Marsaglia).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A second factor, which is wrong wherever it is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Factor {
    Code,
    Passkey,
}

fn body(class: usize, (member, wrong): &(&str, Value)) -> Value {
    let (name, password) = match class {
        0 => ("nobody", PASSWORD),
        1 | 4 => ("carol", "a wrong password"),
        2 => ("locked", PASSWORD),
        _ => ("carol", PASSWORD),
    };
    let mut proof = proof_by(name, password, None);
    proof[*member] = wrong.clone();
    json!({"authType": "userpass", "authCredentials": proof})
}

/// Gives carol and whoever is locked a second factor each, and answers one that is neither's.
async fn wrong(app: &TestApp, factor: Factor) -> (&'static str, Value) {
    if factor == Factor::Code {
        let authenticator = enrol(app, "carol").await;
        enrol(app, "locked").await;
        return ("totp", json!(authenticator.wrong()));
    }
    let admin = app.admin().await;
    for name in ["carol", "locked"] {
        let path = passkeys_path(&admin.identity_uuid(name).await);
        let person = app.logged_in(&[(name, PASSWORD)]).await;
        let made = enrol_passkey(&person, &path, "laptop", &authenticator()).await.response().clone();
        confirm(&admin, &path, &made).await.response();
    }
    ("passkey", authenticator().sign(&app.nobody().post_nothing("/home/v1/login/passkey").await.json))
}

fn spin(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// The times of tries in nanoseconds, by class, in an order that chance chooses. Each comes from an address of its own, so
/// that none is delayed.
async fn measured(factor: Factor) -> [Vec<f64>; 5] {
    let limits = Limits { logins: LoginLimits { per_minute: u32::MAX, ..LoginLimits::default() }, ..Limits::default() };
    let app =
        TestApp::with(Setup { limits, postgres: false, public_origin: Some(ORIGIN.to_owned()), ..Setup::default() })
            .await;
    let admin = app.admin().await;
    for name in ["carol", "locked"] {
        admin.create_person(name, &[RoleId::APPROVER]).await;
    }
    let wrong = wrong(&app, factor).await;
    let locked = admin.identity_uuid("locked").await;
    admin.post_nothing(&format!("/api/v2/identities/{locked}/lock")).await.response();
    let (mut chance, mut times) = (Chance(0xD1CE_D1CE_D1CE_D1CE), <[Vec<f64>; 5]>::default());
    for number in 0..TRIES * 5 / 4 {
        let class = usize::try_from(chance.next() % 5).unwrap();
        let [.., high, middle, low] = number.to_be_bytes();
        let (client, body) = (app.nobody().from([10, high, middle, low]), body(class, &wrong));
        let began = Instant::now();
        let reply = client.post("/home/v1/login", body).await;
        if class == 4 {
            spin(PLANTED);
        }
        times[class].push(began.elapsed().as_nanos() as f64);
        assert_eq!(reply.status.as_u16(), 401, "{}", CLASSES[class]);
    }
    times
}

/// The largest |t| of two classes, below each percentile.
fn t_max(one: &[f64], other: &[f64]) -> f64 {
    let mut sorted = [one, other].concat();
    sorted.sort_by(f64::total_cmp);
    let percentile =
        |i: usize| sorted[((1.0 - 0.5_f64.powf(10.0 * i as f64 / PERCENTILES as f64)) * sorted.len() as f64) as usize];
    let cropped = (1..=PERCENTILES).map(|i| {
        let below = |times: &[f64]| times.iter().copied().filter(|time| *time < percentile(i)).collect::<Vec<_>>();
        welch(&below(one), &below(other))
    });
    cropped.chain([welch(one, other)]).fold(0.0, f64::max)
}

fn welch(one: &[f64], other: &[f64]) -> f64 {
    if one.len().min(other.len()) < ENOUGH {
        return 0.0;
    }
    let mean_and_error = |times: &[f64]| {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (times.len() - 1) as f64;
        (mean, variance / times.len() as f64)
    };
    let (one, other) = (mean_and_error(one), mean_and_error(other));
    (one.0 - other.0).abs() / (one.1 + other.1).sqrt().max(f64::MIN_POSITIVE)
}

#[tokio::test]
async fn the_time_of_a_refused_login_does_not_tell_what_was_wrong() {
    if std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_none() {
        println!(
            "SKIPPED: takes two minutes of a machine that does nothing else, where CHANCERY_TEST_AT_LENGTH is set"
        );
        return;
    }
    for factor in [Factor::Code, Factor::Passkey] {
        println!("{factor:?}");
        check(&measured(factor).await);
    }
}

fn check(times: &[Vec<f64>; 5]) {
    let mut leaks = Vec::new();
    for one in 0..4 {
        for other in 0..one {
            let t = t_max(&times[one], &times[other]);
            println!("{} and {}: t = {t:.2}", CLASSES[one], CLASSES[other]);
            if t >= LEAK {
                leaks.push((CLASSES[one], CLASSES[other], t));
            }
        }
    }
    let planted = t_max(&times[1], &times[4]);
    println!("planted: t = {planted:.2}");
    assert!(leaks.is_empty(), "{leaks:?}");
    assert!(planted >= LEAK, "a planted leak was not found: {planted}");
}
