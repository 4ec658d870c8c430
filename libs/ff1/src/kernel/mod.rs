//! Which code runs the AES rounds.

use crate::Error;

/// An implementation of the rounds. All give the same results; they differ in speed and in what they need.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Kernel {
    /// Through the `aes` crate: on every machine, with the processor's AES instructions where it knows them.
    Portable,
}

impl Kernel {
    /// From the slowest to the fastest.
    const ALL: [Self; 1] = [Self::Portable];

    /// The kernels that this machine can run, from the slowest to the fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&kernel| Engine::detect(kernel).is_some())
    }

    /// The name by which `CHANCERY_FF1_KERNEL` selects it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
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
}

impl Engine {
    /// `None` if this machine lacks what the kernel needs.
    pub(crate) fn detect(kernel: Kernel) -> Option<Self> {
        match kernel {
            Kernel::Portable => Some(Self::Portable),
        }
    }

    pub(crate) fn kernel(self) -> Kernel {
        match self {
            Self::Portable => Kernel::Portable,
        }
    }
}
