//! FF1
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod alphabet;
mod arith;
mod batch;
mod direction;
mod error;
mod ff1;
mod kernel;
mod key;
mod long;
mod mac;
mod text;

pub use crate::alphabet::Alphabet;
pub use crate::batch::{Failure, Item};
pub use crate::error::Error;
pub use crate::ff1::Ff1;
pub use crate::kernel::Kernel;
pub use crate::key::Key;
pub use crate::text::Ff1Text;

use crate::direction::Direction;
