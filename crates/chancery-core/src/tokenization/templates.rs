//! Built-in templates: profiles to start from.

use chancery_types::{
    Luhn, TokenAlgorithm,
    wire::token_profiles::{NameOnly, PatchTokenFormat, TokenProfileTemplate},
};

use super::{
    advisor::{self, Case},
    shape::{Shape, new_format},
};
use crate::{Limits, Result};

/// One template.
struct Template {
    name: &'static str,
    description: &'static str,
    algorithm: TokenAlgorithm,
    pass_through: &'static str,
    values: Values,
}

/// What values look like.
enum Values {
    Symbols { alphabet: &'static str, lengths: (u32, u32), keep: (u32, u32), luhn: Luhn },
    Pattern(&'static str),
}

const fn decimal(lengths: (u32, u32), keep: (u32, u32), luhn: Luhn) -> Values {
    Values::Symbols { alphabet: "Decimal", lengths, keep, luhn }
}

/// In the order in which they are listed.
const TEMPLATES: [Template; 11] = [
    Template {
        name: "card number keep last 4",
        description: "Card numbers that pass Luhn; the last four digits stay, and tokens pass Luhn.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: " -",
        values: decimal((13, 19), (0, 4), Luhn::Valid),
    },
    Template {
        name: "card number keep 6+4",
        description: "Card numbers of 16 digits and more; the first six and the last four digits stay.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: " -",
        values: decimal((16, 19), (6, 4), Luhn::Ignore),
    },
    Template {
        name: "card number in full",
        description: "Card numbers of which no digit stays.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: " -",
        values: decimal((13, 19), (0, 0), Luhn::Ignore),
    },
    Template {
        name: "card number that never passes Luhn",
        description: "Card numbers that pass Luhn; tokens keep the last four digits and can never be taken for card numbers.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: " -",
        values: decimal((13, 19), (0, 4), Luhn::Invalid),
    },
    Template {
        name: "social security number",
        description: "US social security numbers; the last four digits stay, and tokens have no area, group or serial that is never given out.",
        algorithm: TokenAlgorithm::Random,
        pass_through: "",
        values: Values::Pattern("{001..665,667..899}-{01..99}-[0001..9999]"),
    },
    Template {
        name: "date",
        description: "Days from 1900 to 2099, written as YYYY-MM-DD; tokens are such days.",
        algorithm: TokenAlgorithm::Random,
        pass_through: "",
        values: Values::Pattern("{date:YYYY-MM-DD}"),
    },
    Template {
        name: "e-mail address",
        description: "E-mail addresses; the domain stays, and so do dots and the like in their places, so that tokens are e-mail addresses.",
        algorithm: TokenAlgorithm::Random,
        pass_through: "._+-",
        values: Values::Pattern("{AlphaNumeric:1..64}@[AlphaNumeric:2..255]"),
    },
    Template {
        name: "phone number",
        description: "Telephone numbers of 7 to 15 digits in any of the usual spellings.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: " +-()./",
        values: decimal((7, 15), (0, 0), Luhn::Ignore),
    },
    Template {
        name: "IBAN",
        description: "International bank account numbers; the country stays, digits become digits and letters letters, and the check digits fit the token.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: " ",
        values: Values::Pattern("[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}"),
    },
    Template {
        name: "UUID",
        description: "Lower-case UUIDs; version and variant stay, the other 30 digits are encrypted.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: "",
        values: Values::Pattern(
            "{LowerHex:8}-{LowerHex:4}-[LowerHex:1]{LowerHex:3}-[LowerHex:1]{LowerHex:3}-{LowerHex:12}",
        ),
    },
    Template {
        name: "free text",
        description: "Printable ASCII text of 4 to 512 characters.",
        algorithm: TokenAlgorithm::Ff1,
        pass_through: "",
        values: Values::Symbols { alphabet: "Printable", lengths: (4, 512), keep: (0, 0), luhn: Luhn::Ignore },
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
        let format = PatchTokenFormat { pass_through: Some(self.pass_through.into()), ..self.values.format() };
        // An installation may have configured limits that a template does not fit.
        let format = new_format(self.algorithm, Some(format), limits)?;
        let shape = Shape::compile(self.algorithm, &format, limits)?;
        Ok(TokenProfileTemplate {
            obj_info: NameOnly { name: self.name.into() },
            description: self.description.into(),
            algorithm: self.algorithm,
            format,
            use_iv: false,
            security: advisor::advise(&Case {
                algorithm: self.algorithm,
                shape: &shape,
                repeats: true,
                shares_domain: false,
                oldest_version: 1,
                rules: &[],
            }),
        })
    }
}

impl Values {
    fn format(&self) -> PatchTokenFormat {
        match *self {
            Self::Symbols { alphabet, lengths, keep, luhn } => PatchTokenFormat {
                alphabet: Some(alphabet.into()),
                min_length: Some(lengths.0),
                max_length: Some(lengths.1),
                keep_leading: Some(keep.0),
                keep_trailing: Some(keep.1),
                luhn: Some(luhn),
                ..PatchTokenFormat::default()
            },
            Self::Pattern(pattern) => {
                PatchTokenFormat { pattern: Some(Some(pattern.into())), ..PatchTokenFormat::default() }
            }
        }
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
                "88902",
                "73049",
                "62",
                "10000000",
                "100000000000",
                "1329227995784915872903807060280344576",
                "81450625",
            ]
        );
        assert!(by_name("passport number", &limits).unwrap().is_none());
    }
}
