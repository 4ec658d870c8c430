//! Addresses as extensions carry them.

use der::asn1::Ia5String;
use x509_cert::ext::pkix::{
    crl::dp::DistributionPoint,
    name::{DistributionPointName, GeneralName},
};

/// A distribution point that is found at these addresses.
pub fn point(urls: &[String]) -> der::Result<DistributionPoint> {
    let names = urls.iter().map(|url| uri(url)).collect::<der::Result<_>>()?;
    let name = DistributionPointName::FullName(names);
    Ok(DistributionPoint { distribution_point: Some(name), reasons: None, crl_issuer: None })
}

/// An address as a general name.
pub fn uri(text: &str) -> der::Result<GeneralName> {
    Ok(GeneralName::UniformResourceIdentifier(Ia5String::new(text)?))
}
