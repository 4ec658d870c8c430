//! The vectors of NIST and our own, and that the checker notices what is wrong.

use chancery_ff1::Kernel;

use crate::check::check;
use crate::vectors::{Case, parse};

const SAMPLES: &[u8] = include_bytes!("../vectors/sp800-38g-samples.json");
const ACVP: &[u8] = include_bytes!("../vectors/acvp-internalProjection.json");
/// Ours: every shape that is computed differently. A change of any answer would orphan what was encrypted before.
const FROZEN: &[u8] = include_bytes!("../vectors/frozen.json");

#[test]
fn nist_samples_acvp_and_frozen_vectors_pass_on_every_kernel() {
    for (file, count) in [(SAMPLES, 9), (ACVP, 750), (FROZEN, 336)] {
        let cases = parse(file).unwrap();
        assert_eq!(cases.len(), count);
        for kernel in Kernel::available() {
            for case in &cases {
                assert_eq!(check(case, kernel), Ok(()), "{} on {}", case.name, kernel.name());
            }
        }
    }
}

#[test]
fn a_wrong_answer_is_noticed() {
    let refused = |spoil: &dyn Fn(&mut Case)| {
        let mut case = parse(SAMPLES).unwrap().remove(1);
        spoil(&mut case);
        check(&case, Kernel::Portable).is_err()
    };
    assert!(!refused(&|_| ()));
    assert!(refused(&|case| case.key[0] ^= 1));
    assert!(refused(&|case| case.tweak[0] ^= 1));
    assert!(refused(&|case| case.plain.as_mut().unwrap()[0] ^= 1));
    assert!(refused(&|case| case.cipher.as_mut().unwrap()[9] ^= 1));
    assert!(refused(&|case| case.valid = false));
    assert!(refused(&|case| case.plain = None));
}
