//! What is left on the stack, read through the kernel.
#![cfg(target_os = "linux")]

use std::{fs::File, os::unix::fs::FileExt, ptr, thread};

use chancery_rsa::{GROUP, Parts, PrivateKey, private_transforms};

use crate::is_supported;

/// More than calls go down.
const DEPTH: usize = 512 * 1024;

/// How often a secret is found below this function's own frame.
#[inline(never)]
fn left_behind(secrets: &[Vec<u8>]) -> usize {
    let here = 0_u8;
    let mut below = vec![0; DEPTH];
    let start = ptr::from_ref(&here).addr() - DEPTH;
    File::open("/proc/self/mem").expect("memory").read_exact_at(&mut below, start as u64).expect("the stack");
    let count = |secret: &Vec<u8>| below.windows(secret.len()).filter(|window| window == secret).count();
    secrets.iter().map(count).sum()
}

/// As the engine holds a number: digits of 52 bits, of which one from the middle will do.
fn digit(number: &[u8]) -> Vec<u8> {
    let bits: String = number.iter().map(|byte| format!("{byte:08b}")).collect();
    let end = bits.len() - 7 * 52;
    u64::from_str_radix(&bits[end - 52..end], 2).expect("a digit").to_le_bytes().to_vec()
}

#[inline(never)]
fn leave(secret: &[u8]) -> u8 {
    let mut buffer = [0; 4096];
    buffer[..secret.len()].copy_from_slice(secret);
    std::hint::black_box(&buffer)[1]
}

#[test]
fn no_part_of_a_key_stays_on_the_stack() {
    if !is_supported() {
        return;
    }
    let on_own_stack = || {
        for len in [128, 192, 256_usize] {
            let number = |salt: usize| {
                let mut number: Vec<u8> = (0..len).map(|i| (i * 167 + salt * 59 + i * i * 13) as u8).collect();
                // As long as it can be, and odd.
                (number[0], number[len - 1]) = (number[0] | 0x80, number[len - 1] | 1);
                number
            };
            let [p, q, d_p, d_q, mut q_inv] = [1, 2, 3, 4, 5].map(number);
            q_inv[0] = 1;
            let secrets = [digit(&p), digit(&q), digit(&q_inv), d_p[64..80].to_vec(), d_q[64..80].to_vec()];
            std::hint::black_box(leave(&secrets[0]));
            assert!(left_behind(&secrets) > 0, "the search finds what is there");
            let n = vec![0xFF; 2 * len];
            let parts = Parts { n: &n, e: &[1, 0, 1], p: &p, q: &q, d_p: &d_p, d_q: &d_q, q_inv: &q_inv };
            let key = PrivateKey::new(&parts).expect("a key");
            assert_eq!(left_behind(&secrets), 0, "{len} bytes, after it was made ready");
            let message = vec![0x55; 2 * len];
            private_transforms(&[(&key, &message[..]); GROUP], |random| random.fill(0xA5)).expect("results");
            assert_eq!(left_behind(&secrets), 0, "{len} bytes, after its use");
            drop(key);
            assert!(PrivateKey::new(&Parts { d_q: &[1; 300], ..parts }).is_none());
            assert_eq!(left_behind(&secrets), 0, "{len} bytes, after it was refused");
        }
    };
    thread::Builder::new().stack_size(4 * DEPTH).spawn(on_own_stack).expect("a thread").join().expect("no secret");
}
