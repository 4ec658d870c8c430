//! Built-in templates: profiles to start from.

use chancery_types::{
    Luhn, TokenAlgorithm,
    wire::token_profiles::{NameOnly, TokenFormat, TokenProfileTemplate},
};

use super::{advisor, format::Format};
use crate::{Limits, Result};

/// One template.
struct Template {
    name: &'static str,
    description: &'static str,
    alphabet: &'static str,
    lengths: (u32, u32),
    keep: (u32, u32),
    pass_through: &'static str,
    luhn: Luhn,
}

/// In the order in which they are listed. Data whose encrypted part is too small for Ff1 (social security numbers,
/// dates, e-mail addresses) have no template here.
const TEMPLATES: [Template; 8] = [
    Template {
        name: "card number keep last 4",
        description: "Card numbers that pass Luhn; the last four digits stay, and tokens pass Luhn.",
        alphabet: "Decimal",
        lengths: (13, 19),
        keep: (0, 4),
        pass_through: " -",
        luhn: Luhn::Valid,
    },
    Template {
        name: "card number keep 6+4",
        description: "Card numbers of 16 digits and more; the first six and the last four digits stay.",
        alphabet: "Decimal",
        lengths: (16, 19),
        keep: (6, 4),
        pass_through: " -",
        luhn: Luhn::Ignore,
    },
    Template {
        name: "card number in full",
        description: "Card numbers of which no digit stays.",
        alphabet: "Decimal",
        lengths: (13, 19),
        keep: (0, 0),
        pass_through: " -",
        luhn: Luhn::Ignore,
    },
    Template {
        name: "card number that never passes Luhn",
        description: "Card numbers that pass Luhn; tokens keep the last four digits and can never be taken for card numbers.",
        alphabet: "Decimal",
        lengths: (13, 19),
        keep: (0, 4),
        pass_through: " -",
        luhn: Luhn::Invalid,
    },
    Template {
        name: "phone number",
        description: "Telephone numbers of 7 to 15 digits in any of the usual spellings.",
        alphabet: "Decimal",
        lengths: (7, 15),
        keep: (0, 0),
        pass_through: " +-()./",
        luhn: Luhn::Ignore,
    },
    Template {
        name: "IBAN",
        description: "International bank account numbers; country and check digits stay, the check digits do not fit the token.",
        alphabet: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        lengths: (15, 34),
        keep: (4, 0),
        pass_through: " ",
        luhn: Luhn::Ignore,
    },
    Template {
        name: "UUID",
        description: "Lower-case UUIDs; all 32 digits are encrypted.",
        alphabet: "LowerHex",
        lengths: (32, 32),
        keep: (0, 0),
        pass_through: "-",
        luhn: Luhn::Ignore,
    },
    Template {
        name: "free text",
        description: "Printable ASCII text of 4 to 512 characters.",
        alphabet: "Printable",
        lengths: (4, 512),
        keep: (0, 0),
        pass_through: "",
        luhn: Luhn::Ignore,
    },
];

/// All names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|template| template.name)
}

/// The template of that name, in any letter case.
pub(crate) fn by_name(name: &str, limits: &Limits) -> Result<Option<TokenProfileTemplate>> {
    TEMPLATES
        .iter()
        .find(|template| template.name.eq_ignore_ascii_case(name))
        .map(|found| found.wire(limits))
        .transpose()
}

impl Template {
    fn wire(&self, limits: &Limits) -> Result<TokenProfileTemplate> {
        let format = TokenFormat {
            alphabet: Some(self.alphabet.into()),
            min_length: self.lengths.0,
            max_length: self.lengths.1,
            keep_leading: self.keep.0,
            keep_trailing: self.keep.1,
            pass_through: self.pass_through.into(),
            luhn: self.luhn,
            token_length: None,
            pattern: None,
            version_prefix: None,
        };
        // An installation may have configured limits that a template does not fit.
        let compiled = Format::compile(&format, limits)?;
        Ok(TokenProfileTemplate {
            obj_info: NameOnly { name: self.name.into() },
            description: self.description.into(),
            algorithm: TokenAlgorithm::Ff1,
            format,
            use_iv: false,
            security: advisor::advise(&compiled, false, false, &[]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_a_profile_that_create_accepts() {
        let limits = Limits::default();
        let sizes: Vec<_> = names()
            .map(|name| {
                let template = by_name(&name.to_uppercase(), &limits).unwrap().unwrap();
                assert_eq!(template.obj_info.name, name);
                template.security.domain_size.unwrap()
            })
            .collect();
        assert_eq!(
            sizes,
            [
                "100000000",
                "1000000",
                "10000000000000",
                "100000000",
                "10000000",
                "131621703842267136",
                "340282366920938463463374607431768211456",
                "81450625",
            ]
        );
        assert!(by_name("social security number", &limits).unwrap().is_none());
    }
}
