//! Case-insensitive search that finds the same on both databases.
//!
//! `lower` and `LIKE` differ between them (SQLite knows ASCII only), so a table with a searchable name has a column
//! `name_key` for [`name_key`], which also serves where names must be unique without regard to case.

/// No name is as long; SQLite refuses patterns above 50,000 bytes.
const PATTERN_MAX: usize = 16 * 1024;

/// A name in lower case, as stored in `name_key`. Each character is turned by itself, so that a part of a name has a
/// part of the key.
#[must_use]
pub fn name_key(name: &str) -> String {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The pattern for `name_key LIKE $1 ESCAPE '\'` that finds the term anywhere. A term that no name can contain, one
/// with NUL or longer than any name, finds nothing.
#[must_use]
pub fn pattern(term: &str) -> String {
    let mut pattern = String::from("%");
    for character in name_key(term).chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    // The empty pattern matches the empty text only.
    if pattern.len() > PATTERN_MAX || pattern.contains('\0') { String::new() } else { pattern }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_has_a_part_of_the_key() {
        // Greek has two small sigmas; a whole word in lower case would end with the other one.
        assert!(name_key("ΟΔΟΣ 5").contains(&name_key("ΟΔΟΣ")));
        assert_eq!(name_key("Card Ünïts"), "card ünïts");
    }

    #[test]
    fn what_like_would_read_as_a_sign_is_escaped() {
        assert_eq!(pattern(r"100%_A\"), r"%100\%\_a\\%");
        assert_eq!(pattern(""), "%%");
        assert_eq!(pattern(&"x".repeat(PATTERN_MAX)), "");
        assert_eq!(pattern("a\0b"), "");
    }
}
