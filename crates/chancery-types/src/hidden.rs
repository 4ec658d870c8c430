//! Which characters people do not see, or are misled by.

/// Whether a character cannot be seen where it stands, or changes how others are shown: names with and without it would
/// look the same, or like another. Control characters, line and paragraph separators (categories Cc, Zl, Zp), format
/// characters (Cf: those that set a direction or join hieroglyphs, those of no width, tags; not the few that are signs of their
/// own, Prepended_Concatenation_Mark), variation selectors and the fillers of Hangul (Default_Ignorable_Code_Point of
/// Unicode's DerivedCoreProperties.txt), and what is no space and looks like one: the pattern of Braille without a dot, and
/// the blanks among the hieroglyphs.
#[must_use]
pub fn hides(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{13441}'..='\u{13442}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A file without the mark that some editors begin texts with: who looks for something at the beginning of the first line does
/// not find it behind that.
#[must_use]
pub fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;

    type Ranges = &'static [RangeInclusive<u32>];

    /// General_Category=Cf of Unicode 16.0 (DerivedGeneralCategory.txt).
    const FORMAT: Ranges = &[
        0xad..=0xad,
        0x600..=0x605,
        0x61c..=0x61c,
        0x6dd..=0x6dd,
        0x70f..=0x70f,
        0x890..=0x891,
        0x8e2..=0x8e2,
        0x180e..=0x180e,
        0x200b..=0x200f,
        0x202a..=0x202e,
        0x2060..=0x2064,
        0x2066..=0x206f,
        0xfeff..=0xfeff,
        0xfff9..=0xfffb,
        0x110bd..=0x110bd,
        0x110cd..=0x110cd,
        0x13430..=0x1343f,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0001..=0xe0001,
        0xe0020..=0xe007f,
    ];

    /// Prepended_Concatenation_Mark (PropList.txt): signs that are seen, around or above what follows.
    const SIGNS: Ranges = &[
        0x600..=0x605,
        0x6dd..=0x6dd,
        0x70f..=0x70f,
        0x890..=0x891,
        0x8e2..=0x8e2,
        0x110bd..=0x110bd,
        0x110cd..=0x110cd,
    ];

    /// Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
    const IGNORABLE: Ranges = &[
        0xad..=0xad,
        0x34f..=0x34f,
        0x61c..=0x61c,
        0x115f..=0x1160,
        0x17b4..=0x17b5,
        0x180b..=0x180f,
        0x200b..=0x200f,
        0x202a..=0x202e,
        0x2060..=0x206f,
        0x3164..=0x3164,
        0xfe00..=0xfe0f,
        0xfeff..=0xfeff,
        0xffa0..=0xffa0,
        0xfff0..=0xfff8,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0000..=0xe0fff,
    ];

    /// Cc, Zl and Zp, and what looks like a space.
    const OTHERS: Ranges = &[0..=0x1f, 0x7f..=0x9f, 0x2028..=0x2029, 0x2800..=0x2800, 0x13441..=0x13442];

    #[test]
    fn what_the_standard_lists_is_hidden_and_nothing_else() {
        let is_in = |point: u32, ranges: Ranges| ranges.iter().any(|range| range.contains(&point));
        for character in '\0'..=char::MAX {
            let point = u32::from(character);
            let is_format = is_in(point, FORMAT) && !is_in(point, SIGNS);
            let expected = is_format || is_in(point, IGNORABLE) || is_in(point, OTHERS);
            assert_eq!(hides(character), expected, "U+{point:04X}");
        }
    }
}
