#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod aes;
mod alphabet;
mod arith;
mod ascii;
mod batch;
mod bytes;
mod decimals;
mod direction;
mod error;
mod feistel;
mod ff1;
mod item;
mod kernel;
mod key;
mod long;
mod mac;
mod octet;
mod prepared;
mod starts;
mod symbols;
mod text;
mod windows;

pub use crate::alphabet::Alphabet;
pub use crate::error::Error;
pub use crate::ff1::Ff1;
pub use crate::item::{Failure, Item};
pub use crate::kernel::Kernel;
pub use crate::key::Key;
pub use crate::text::Ff1Text;

use crate::direction::Direction;
