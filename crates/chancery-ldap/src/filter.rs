//! Search filters (RFC 4515), with a place for the user name. It is a value in the tree that is sent, so no name changes what
//! is asked.

use crate::{
    NotOne, USERNAME,
    ber::{Bytes, OCTET_STRING, SEQUENCE, tlv},
    name::is_attribute,
};

/// Bytes of a filter, and how deep it may be.
const TEXT_MAX: usize = 1_024;
const DEPTH_MAX: u32 = 10;

/// A filter that has the user name somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(Node);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Compare(Comparison, String, Value),
    Present(String),
    Substrings { attribute: String, initial: Vec<u8>, any: Vec<Vec<u8>>, last: Vec<u8> },
    Extensible { attribute: String, is_of_names: bool, rule: String, value: Value },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    GreaterOrEqual,
    LessOrEqual,
    Approximate,
}

/// A value in parts; `None` is the user name.
type Value = Vec<Option<Vec<u8>>>;

impl Filter {
    /// Reads a filter such as `(&(objectClass=person)(uid={username}))`.
    ///
    /// # Errors
    ///
    /// [`NotOne`] where it is none, or has `{username}` nowhere or where it could be a part of a pattern.
    pub fn parse(text: &str) -> Result<Self, NotOne> {
        if text.len() > TEXT_MAX {
            return Err(NotOne("a filter has at most 1024 bytes"));
        }
        let mut rest = text.trim();
        let node = node(&mut rest, DEPTH_MAX)?;
        if !rest.is_empty() {
            return Err(NotOne("something follows the filter: several are put together by (&...) or (|...)"));
        }
        if node.has_name() { Ok(Self(node)) } else { Err(NotOne("the filter has {username} nowhere")) }
    }

    /// As a search has it (RFC 4511, 4.5.1.7).
    pub(crate) fn encode(&self, username: &str) -> Bytes {
        self.0.encode(username.as_bytes())
    }
}

impl Node {
    fn has_name(&self) -> bool {
        match self {
            Self::And(nodes) | Self::Or(nodes) => nodes.iter().any(Self::has_name),
            Self::Not(node) => node.has_name(),
            Self::Compare(_, _, value) | Self::Extensible { value, .. } => value.contains(&None),
            Self::Present(_) | Self::Substrings { .. } => false,
        }
    }

    fn encode(&self, username: &[u8]) -> Bytes {
        let all = |tag, nodes: &[Self]| {
            let nodes: Vec<_> = nodes.iter().map(|node| node.encode(username)).collect();
            tlv(tag, &nodes.iter().map(|node| node.as_slice()).collect::<Vec<_>>())
        };
        let text = |text: &str| tlv(OCTET_STRING, &[text.as_bytes()]);
        let filled = |tag, value: &Value| {
            tlv(tag, &value.iter().map(|part| part.as_deref().unwrap_or(username)).collect::<Vec<_>>())
        };
        match self {
            Self::And(nodes) => all(0xa0, nodes),
            Self::Or(nodes) => all(0xa1, nodes),
            Self::Not(node) => tlv(0xa2, &[&node.encode(username)]),
            Self::Compare(comparison, attribute, value) => {
                let tag = match comparison {
                    Comparison::Equal => 0xa3,
                    Comparison::GreaterOrEqual => 0xa5,
                    Comparison::LessOrEqual => 0xa6,
                    Comparison::Approximate => 0xa8,
                };
                tlv(tag, &[&text(attribute), &filled(OCTET_STRING, value)])
            }
            Self::Present(attribute) => tlv(0x87, &[attribute.as_bytes()]),
            Self::Substrings { attribute, initial, any, last } => {
                let ends = |tag, part: &[u8]| if part.is_empty() { Bytes::default() } else { tlv(tag, &[part]) };
                let any: Vec<_> = any.iter().map(|part| tlv(0x81, &[part])).collect();
                let (initial, last) = (ends(0x80, initial), ends(0x82, last));
                let mut parts: Vec<&[u8]> = vec![initial.as_slice()];
                parts.extend(any.iter().map(|part| part.as_slice()));
                parts.push(&last);
                tlv(0xa4, &[&text(attribute), &tlv(SEQUENCE, &parts)])
            }
            Self::Extensible { attribute, is_of_names, rule, value } => {
                let said =
                    |tag, text: &str| if text.is_empty() { Bytes::default() } else { tlv(tag, &[text.as_bytes()]) };
                let of_names = if *is_of_names { tlv(0x84, &[&[0xff]]) } else { Bytes::default() };
                tlv(0xa9, &[&said(0x81, rule), &said(0x82, attribute), &filled(0x83, value), &of_names])
            }
        }
    }
}

/// That an entry is one, which all are.
pub(crate) fn any_entry() -> Bytes {
    tlv(0x87, &[b"objectClass"])
}

/// One filter with its parentheses, of the text that is left.
fn node(rest: &mut &str, depth: u32) -> Result<Node, NotOne> {
    let inside = rest.strip_prefix('(').ok_or(NotOne("a filter begins with a parenthesis"))?;
    let deeper = depth.checked_sub(1).ok_or(NotOne("a filter is at most ten deep"))?;
    let mut inside = inside.trim_start();
    let found = match inside.as_bytes().first() {
        Some(b'&') => Node::And(nodes(&mut inside, deeper)?),
        Some(b'|') => Node::Or(nodes(&mut inside, deeper)?),
        Some(b'!') => {
            inside = inside[1..].trim_start();
            Node::Not(Box::new(node(&mut inside, deeper)?))
        }
        Some(_) | None => {
            let end = inside.find([')', '(']).unwrap_or(inside.len());
            let (item, after) = inside.split_at(end);
            inside = after;
            item_of(item)?
        }
    };
    *rest = inside
        .trim_start()
        .strip_prefix(')')
        .ok_or(NotOne("a parenthesis is missing, or not written as \\28 or \\29"))?;
    Ok(found)
}

fn nodes(rest: &mut &str, depth: u32) -> Result<Vec<Node>, NotOne> {
    let mut found = Vec::new();
    *rest = rest[1..].trim_start();
    while rest.starts_with('(') {
        found.push(node(rest, depth)?);
        *rest = rest.trim_start();
    }
    if found.is_empty() { Err(NotOne("(&) and (|) have filters inside")) } else { Ok(found) }
}

/// What stands between innermost parentheses.
fn item_of(item: &str) -> Result<Node, NotOne> {
    let (left, right) = item.split_once('=').ok_or(NotOne("a comparison has a sign =, such as (uid={username})"))?;
    let compared = [('>', Comparison::GreaterOrEqual), ('<', Comparison::LessOrEqual), ('~', Comparison::Approximate)];
    for (sign, comparison) in compared {
        if let Some(attribute) = left.strip_suffix(sign) {
            return Ok(Node::Compare(comparison, checked(attribute)?, value_of(right)?));
        }
    }
    if let Some(left) = left.strip_suffix(':') {
        return extensible(left, right);
    }
    let attribute = checked(left)?;
    if right == "*" {
        return Ok(Node::Present(attribute));
    }
    if !right.contains('*') {
        return Ok(Node::Compare(Comparison::Equal, attribute, value_of(right)?));
    }
    // Who types an asterisk, or half a name, would be taken for whoever it fits.
    let literal = |part: &str| match value_of(part)?.as_slice() {
        [] => Ok(Vec::new()),
        [Some(bytes)] => Ok(bytes.clone()),
        [..] => Err(NotOne("{username} stands for a whole value, and not in a pattern with asterisks")),
    };
    let parts = right.split('*').map(literal).collect::<Result<Vec<_>, _>>()?;
    let (Some((initial, between)), Some(last)) = (parts.split_first(), parts.last()) else {
        return Err(NotOne("a pattern has an asterisk"));
    };
    let any: Vec<_> = between[..between.len() - 1].to_vec();
    if any.iter().any(Vec::is_empty) {
        return Err(NotOne("a pattern has no two asterisks side by side"));
    }
    Ok(Node::Substrings { attribute, initial: initial.clone(), any, last: last.clone() })
}

/// `attribute:dn:rule:=value`, of which some may be missing.
fn extensible(left: &str, right: &str) -> Result<Node, NotOne> {
    let mut parts = left.split(':');
    let attribute = parts.next().unwrap_or_default();
    let mut parts = parts.peekable();
    let is_of_names = parts.next_if(|part| part.eq_ignore_ascii_case("dn")).is_some();
    let rule = parts.next().unwrap_or_default();
    if parts.next().is_some() || (attribute.is_empty() && rule.is_empty()) {
        return Err(NotOne("an extensible comparison is ATTRIBUTE:RULE:=VALUE"));
    }
    for name in [attribute, rule] {
        if !name.is_empty() {
            checked(name)?;
        }
    }
    let value = value_of(right)?;
    Ok(Node::Extensible { attribute: attribute.to_owned(), is_of_names, rule: rule.to_owned(), value })
}

fn checked(attribute: &str) -> Result<String, NotOne> {
    if is_attribute(attribute) {
        Ok(attribute.to_owned())
    } else {
        Err(NotOne("an attribute has letters, digits and -"))
    }
}

/// A value with its escapes taken away.
fn value_of(text: &str) -> Result<Value, NotOne> {
    let mut value = Vec::new();
    for (place, literal) in text.split(USERNAME).enumerate() {
        if place > 0 {
            value.push(None);
        }
        let bytes = unescaped(literal)?;
        if !bytes.is_empty() {
            value.push(Some(bytes));
        }
    }
    Ok(value)
}

fn unescaped(text: &str) -> Result<Vec<u8>, NotOne> {
    let wrong = NotOne("( ) * \\ and NUL in a value are written as \\28 \\29 \\2a \\5c \\00");
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (hex, rest) = part.split_at_checked(2).ok_or(wrong)?;
        if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong);
        }
        bytes.push(u8::from_str_radix(hex, 16).map_err(|_| wrong)?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    if text.contains(['\0', '*']) { Err(wrong) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ber::Reader;

    fn encoded(text: &str, username: &str) -> Vec<u8> {
        Filter::parse(text).unwrap().encode(username).to_vec()
    }

    #[test]
    fn a_name_is_a_value_whatever_it_has() {
        // RFC 4511: equalityMatch [3] AttributeValueAssertion.
        assert_eq!(encoded("(uid={username})", "ann"), b"\xa3\x0a\x04\x03uid\x04\x03ann");
        for name in ["*", "ann)(uid=*", "\\2a", "a(b", "{username}", "\u{e4}"] {
            let value = [
                &[0xa3, u8::try_from(7 + name.len()).unwrap()],
                &b"\x04\x03uid"[..],
                &[4],
                &[u8::try_from(name.len()).unwrap()],
                name.as_bytes(),
            ]
            .concat();
            assert_eq!(encoded("(uid={username})", name), value, "{name}");
        }
    }

    #[test]
    fn filters_are_written_as_rfc_4511_has_them() {
        assert_eq!(
            encoded("(&(cn=a)(uid={username}))", "b"),
            b"\xa0\x13\xa3\x07\x04\x02cn\x04\x01a\xa3\x08\x04\x03uid\x04\x01b"
        );
        assert_eq!(
            encoded("(|(!(a=\\2a))(b={username}@x))", "n"),
            b"\xa1\x14\xa2\x08\xa3\x06\x04\x01a\x04\x01*\xa3\x08\x04\x01b\x04\x03n@x"
        );
        let with = |other: &str| encoded(&format!("(&{other}(u={{username}}))"), "n");
        let expected = |other: &[u8]| {
            let length = u8::try_from(other.len() + 8).unwrap();
            [&[0xa0, length], other, b"\xa3\x06\x04\x01u\x04\x01n"].concat()
        };
        assert_eq!(with("(mail=*)"), expected(b"\x87\x04mail"));
        assert_eq!(with("(a>=1)"), expected(b"\xa5\x06\x04\x01a\x04\x011"));
        assert_eq!(with("(a<=1)"), expected(b"\xa6\x06\x04\x01a\x04\x011"));
        assert_eq!(with("(a~=1)"), expected(b"\xa8\x06\x04\x01a\x04\x011"));
        assert_eq!(with("(a=x*y*z)"), expected(b"\xa4\x0e\x04\x01a\x30\x09\x80\x01x\x81\x01y\x82\x01z"));
        assert_eq!(with("(a=*y*)"), expected(b"\xa4\x08\x04\x01a\x30\x03\x81\x01y"));
        assert_eq!(with("(a:1.2.3:=x)"), expected(b"\xa9\x0d\x81\x051.2.3\x82\x01a\x83\x01x"));
        assert_eq!(with("(a:dn:=x)"), expected(b"\xa9\x09\x82\x01a\x83\x01x\x84\x01\xff"));
        assert_eq!(with(" ( a=x ) ".trim()), expected(b"\xa3\x07\x04\x01a\x04\x02x "));
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        let deep = format!("{}(uid={{username}}){}", "(!".repeat(11), ")".repeat(11));
        let long = format!("(uid={{username}}{})", "x".repeat(TEXT_MAX));
        for wrong in [
            "",
            "uid={username}",
            "(uid={username}",
            "(uid={username}))",
            "((uid={username}))",
            "(uid)",
            "(={username})",
            "(&)",
            "(uid=ann)",
            "(uid=*)",
            "(!(uid=ann))",
            "(uid={username}*)",
            "(uid=*{username}*)",
            "(a b={username})",
            "(uid=\\2{username})",
            "(uid=\\zz{username})",
            "(uid=a**b)(a={username})",
            "(&(a=b**c)(u={username}))",
            "(:={username})",
            "(a:b:c:={username})",
            "(uid={username})(a=b)",
            "(\u{e4}={username})",
            "(uid=\\+1{username})",
            &deep,
            &long,
        ] {
            assert!(Filter::parse(wrong).is_err(), "{wrong}");
        }
        Filter::parse(
            "(&(objectCategory=person)(sAMAccountName={username})(!(userAccountControl:1.2.840.113556.1.4.803:=2)))",
        )
        .unwrap();
        Filter::parse("(&(uid={username})\n  (memberOf=cn=kms,ou=groups,dc=example,dc=org))").unwrap();
    }

    proptest::proptest! {
        #[test]
        fn no_name_makes_another_filter(
            text in proptest::sample::select(vec![
                "(uid={username})",
                "(|(mail={username})(mail={username}@example.org))",
                "(&(a=b*c)(!(x>={username}))(memberOf:1.2.3:=cn={username}))",
            ]),
            name in "([()*\\\\&|!=]|.){1,20}",
        ) {
            let filter = Filter::parse(text).unwrap();
            // The same tree: the same tags in the same order, whatever is in the values.
            proptest::prop_assert_eq!(tags(&filter.encode("x")), tags(&filter.encode(&name)));
        }

        #[test]
        fn whatever_is_written_is_a_filter_or_none(text in "[(){}username*=&|!:<>~.\\\\0-9]{0,60}") {
            if let Ok(filter) = Filter::parse(&text) {
                proptest::prop_assert!(!tags(&filter.encode("x")).is_empty());
            }
        }
    }

    fn tags(bytes: &[u8]) -> Vec<u8> {
        let (mut reader, mut found) = (Reader::new(bytes), Vec::new());
        while let Ok((tag, content)) = reader.next() {
            found.push(tag);
            if tag & 0x20 != 0 {
                found.extend(tags(content));
            }
        }
        found
    }
}
