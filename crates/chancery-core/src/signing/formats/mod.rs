//! The forms that a signature can take, one file each. Pure: bytes in, bytes out; the key is used in between.

pub mod cms;
