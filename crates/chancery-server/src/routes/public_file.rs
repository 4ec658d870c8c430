//! Names of public files: an id and an ending, since one path segment holds both.

use std::str::FromStr;

use chancery_types::CertificateId;

/// `UUID.ending`.
pub(crate) struct FileOf<Ending> {
    /// The certificate that the file is of.
    pub(crate) id: CertificateId,
    _ending: std::marker::PhantomData<Ending>,
}

/// The end of a file's name.
pub(crate) trait Ending {
    /// With its dot.
    const TEXT: &'static str;
}

impl<E: Ending> FromStr for FileOf<E> {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let id = name.strip_suffix(E::TEXT).ok_or(())?.parse().map_err(|_| ())?;
        Ok(Self { id, _ending: std::marker::PhantomData })
    }
}
