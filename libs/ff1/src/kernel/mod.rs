//! Which code runs AES, and for which processor the rest is compiled.

#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[expect(unsafe_code, reason = "calls of functions compiled for AES-NI")]
mod aesni;
mod portable;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[expect(unsafe_code, reason = "calls of functions compiled for VAES and AVX2, and reads of vectors")]
mod vaes256;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[expect(unsafe_code, reason = "calls of functions compiled for VAES and AVX-512, and reads of vectors")]
mod vaes512;

use crate::Error;
use crate::aes::Work;
use crate::key::Expanded;

/// An implementation of the rounds. All give the same results; they differ in speed and in what they need.
///
/// All but [`Portable`](Self::Portable) need the crate's feature `std`, to ask the processor what it has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Kernel {
    /// Through the `aes` crate: on every machine, with the processor's AES instructions where that crate knows them.
    Portable,
    /// x86-64 with AES-NI and SSE4.1; 8 values in flight.
    AesNi,
    /// x86-64 with VAES and AVX2; 16 values in flight.
    Vaes256,
    /// x86-64 with VAES, AVX-512 (F, BW, DQ, VL) and IFMA; 32 values in flight.
    Vaes512,
}

impl Kernel {
    /// From the slowest to the fastest.
    pub const ALL: [Self; 4] = [Self::Portable, Self::AesNi, Self::Vaes256, Self::Vaes512];

    /// The kernels that this machine can run, from the slowest to the fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&kernel| Engine::detect(kernel).is_some())
    }

    /// The name by which `CHANCERY_FF1_KERNEL` selects it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::AesNi => "aesni",
            Self::Vaes256 => "vaes256",
            Self::Vaes512 => "vaes512",
        }
    }

    /// The kernel named by `CHANCERY_FF1_KERNEL`, else the fastest here.
    pub(crate) fn chosen() -> Result<Self, Error> {
        #[cfg(feature = "std")]
        if let Some(name) = std::env::var_os("CHANCERY_FF1_KERNEL") {
            return Self::available().find(|kernel| name == kernel.name()).ok_or(Error::Kernel);
        }
        Ok(Self::available().last().unwrap_or(Self::Portable))
    }
}

/// A kernel that this machine is known to have.
#[derive(Clone, Copy)]
pub(crate) enum Engine {
    Portable,
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    AesNi(aesni::AesNi),
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    Vaes256(vaes256::Vaes256),
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    Vaes512(vaes512::Vaes512),
}

impl Engine {
    /// `None` if this machine lacks what the kernel needs.
    pub(crate) fn detect(kernel: Kernel) -> Option<Self> {
        match kernel {
            Kernel::Portable => Some(Self::Portable),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Kernel::AesNi => aesni::AesNi::detect().map(Self::AesNi),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Kernel::Vaes256 => vaes256::Vaes256::detect().map(Self::Vaes256),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Kernel::Vaes512 => vaes512::Vaes512::detect().map(Self::Vaes512),
            #[cfg(not(all(target_arch = "x86_64", feature = "std")))]
            Kernel::AesNi | Kernel::Vaes256 | Kernel::Vaes512 => None,
        }
    }

    /// Does the work, compiled for this kernel.
    #[inline(always)]
    pub(crate) fn run<W: Work>(self, key: &Expanded, work: W) -> W::Output {
        match self {
            Self::Portable => work.run(&key.cipher),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::AesNi(kernel) => kernel.run(&key.round_keys, work),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::Vaes256(kernel) => kernel.run(&key.round_keys, work),
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::Vaes512(kernel) => kernel.run(&key.round_keys, work),
        }
    }

    pub(crate) fn kernel(self) -> Kernel {
        match self {
            Self::Portable => Kernel::Portable,
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::AesNi(_) => Kernel::AesNi,
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::Vaes256(_) => Kernel::Vaes256,
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            Self::Vaes512(_) => Kernel::Vaes512,
        }
    }
}
