//! Which characters people do not see, or are misled by.

/// Whether a character cannot be seen where it stands, or changes how others are shown: names with and without it would
/// look the same, or like another. Control characters, line and paragraph separators (categories Cc, Zl, Zp), format
/// characters (Cf: those that set a direction, those of no width, tags), variation selectors and the fillers of Hangul
/// (Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt), and the pattern of Braille without a dot, which is
/// no space and looks like one.
#[must_use]
pub fn hides(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
