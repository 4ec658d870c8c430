//! Tests of the crate from outside.

mod stack;

/// Whether there is something to test on this machine.
fn is_supported() -> bool {
    let is_supported = chancery_rsa::is_supported();
    if !is_supported {
        println!("SKIPPED: this processor has no AVX-512 IFMA");
    }
    is_supported
}
