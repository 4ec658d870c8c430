//! Bytes that nobody may see by accident.

use zeroize::Zeroizing;

/// Secret bytes: wiped on drop, without Debug, Clone, comparison or serialisation.
///
/// The buffer has its final size before the first secret byte is written into it, so no copy is left behind by growth.
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// A secret of `len` bytes that `fill` writes in place.
    pub(crate) fn filled<E>(len: usize, fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut bytes = Zeroizing::new(vec![0; len]);
        fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// `len` random bytes.
    pub(crate) fn random(len: usize) -> Self {
        let mut bytes = Zeroizing::new(vec![0; len]);
        crate::random::fill(&mut bytes);
        Self(bytes)
    }

    /// A secret that lives elsewhere already, in something that wipes itself.
    pub(crate) fn copied(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    /// Bytes that are secret from now on.
    pub(crate) fn taken(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Cuts off what follows the first `len` bytes; it is wiped with the rest.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// The bytes. Whoever calls this is responsible for where they go.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}
