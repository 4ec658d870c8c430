use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// Public samples; see testdata/README.md.
const CARDS: &str = include_str!("../../../testdata/cards.json");

#[derive(Deserialize)]
struct Cards {
    tracks: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    data: String,
    pan: String,
}

fn account(text: &str) -> Result<String, BadTrack> {
    Tracks::split(text).map(|tracks| tracks.account())
}

fn with(text: &str, account: &str) -> String {
    Tracks::parse(text).unwrap().with_account(account).unwrap()
}

#[test]
fn published_samples() {
    let Cards { tracks } = serde_json::from_str(CARDS).unwrap();
    assert_eq!(tracks.len(), 12);
    for Sample { data, pan } in tracks {
        assert_eq!(account(&data).as_deref(), Ok(pan.as_str()), "{data}");
        assert_eq!(with(&data, &pan), data);
        let other: String = pan.chars().rev().collect();
        assert_eq!(with(&data, &other), data.replace(&pan, &other));
    }
}

#[test]
fn check_characters_are_checked_and_recomputed() {
    // ISO/IEC 7811-2, even parity of each bit: computed by hand for a short track.
    // ;1=? are the values 11 1 13 15, whose exclusive or is 1011 ^ 0001 ^ 1101 ^ 1111 = 1000.
    assert_eq!(account(";1=?8").as_deref(), Ok("1"));
    assert_eq!(with(";1=?8", "2"), ";2=?;");
    assert_eq!(account(";2=?;").as_deref(), Ok("2"));
    assert_eq!(account(";1=?9"), Err(BadTrack::Lrc));
    // %B1^^? are 5 34 17 62 62 31: 000101 ^ 100010 ^ 010001 ^ 011111 = 101001, which is 'I'.
    assert_eq!(account("%B1^^?I").as_deref(), Ok("1"));
    assert_eq!(with("%B1^^?I", "2"), "%B2^^?J");
    assert_eq!(account("%B1^^?I;1=?8").as_deref(), Ok("1"));
    assert_eq!(with("%B1^^?I;1=?8", "2"), "%B2^^?J;2=?;");
    assert_eq!(with("%B1^^?;1=?8", "2"), "%B2^^?;2=?;");
}

#[test]
fn spaces_in_an_account_number_stay_where_they_are() {
    let amex = "%B3782 822463 10005^PUBLIC/JOHN Q^2812201?";
    assert_eq!(account(amex).as_deref(), Ok("378282246310005"));
    assert_eq!(with(amex, "123456789012345"), "%B1234 567890 12345^PUBLIC/JOHN Q^2812201?");
    let longer = Tracks::parse(amex).unwrap().with_account("1234567890123456");
    assert_eq!(longer, Err(BadValue::Track(BadTrack::Spaces)));
}

#[test]
fn refuses_what_is_no_track() {
    for (text, refusal) in [
        ("", BadTrack::Form),
        ("4111111111111111", BadTrack::Form),
        ("%", BadTrack::Form),
        ("%B", BadTrack::Form),
        ("%A4111111111111111^DOE/JANE^2912?", BadTrack::Form),
        ("%B4111111111111111^DOE/JANE?", BadTrack::Form),
        ("%B4111111111111111^doe/jane^2912?", BadTrack::Character),
        ("%B4111111111111111^DOE/JANÉ^2912?", BadTrack::Character),
        ("%B4111111111111111^DOE%JANE^2912?", BadTrack::Character),
        // Without sentinels between them the second account number would stay in clear.
        ("B4111111111111111^DOE/JANE^29124111111111111111=2912", BadTrack::Character),
        ("%B^DOE/JANE^2912?", BadTrack::AccountNumber),
        ("%B411111111111111A^DOE/JANE^2912?", BadTrack::AccountNumber),
        ("%B41111111111111111111^DOE/JANE^2912?", BadTrack::AccountNumber),
        (";=2912?", BadTrack::AccountNumber),
        (";4111 1111=2912?", BadTrack::AccountNumber),
        (";41111111111111111111=2912?", BadTrack::AccountNumber),
        (";4111111111111111=29A2?", BadTrack::Character),
        ("4111111111111111D29=2F", BadTrack::Character),
        ("4111111111111111D2912FF", BadTrack::Character),
        (";4111111111111111=2912?;4111111111111111=2912?", BadTrack::Form),
        (";4111111111111111=2912?%B4111111111111111^DOE/JANE^2912?", BadTrack::Lrc),
        ("%B4111111111111111^DOE/JANE^2912?;4111111111111112=2912?", BadTrack::Different),
        ("%B4111111111111111^DOE/JANE^2912?;4111111111111111=2912?;4111111111111111=2912?", BadTrack::Form),
    ] {
        assert_eq!(account(text), Err(refusal), "{text}");
    }
}

#[test]
fn a_track_holds_79_or_40_characters() {
    let track_1 = |rest: usize| format!("%B4111111111111111^^{}?", "0".repeat(rest));
    assert!(account(&track_1(57)).is_ok(), "{} characters and the check character", track_1(57).len());
    assert_eq!(account(&track_1(58)), Err(BadTrack::TooLong { max: 79 }));
    let track_2 = |rest: usize| format!(";4111111111111111={}?", "0".repeat(rest));
    assert!(account(&track_2(20)).is_ok());
    assert_eq!(account(&track_2(21)), Err(BadTrack::TooLong { max: 40 }));
    // What comes out must fit as well.
    let full = track_2(20);
    let tracks = Tracks::parse(&full).unwrap();
    let longer = tracks.with_account("41111111111111111");
    assert_eq!(longer, Err(BadValue::Track(BadTrack::TooLong { max: 40 })));
    let no_digits = tracks.with_account("4111x");
    assert_eq!(no_digits, Err(BadValue::Track(BadTrack::AccountNumber)));
}

/// Track data of every form.
fn any_track() -> impl Strategy<Value = (String, String)> {
    let track_1 = ("[A-Z /.]{0,20}", "[0-9A-Z]{0,20}", any::<bool>(), any::<bool>());
    let track_2 = ("[0-9=]{0,17}", any::<bool>(), any::<bool>());
    ("[0-9]{1,19}", prop::option::of(track_1), track_2).prop_map(|(account, first, (rest, sentinels, lrc))| {
        let mut text = String::new();
        let both = first.is_some() && sentinels;
        if let Some((name, rest, own, lrc)) = first {
            text = format!("B{account}^{name}^{rest}");
            if own || both {
                text = format!("%{text}?");
                text.extend(lrc.then(|| lrc_of(&text, b' ')));
            }
            if !both {
                return (account, text);
            }
        }
        let mut second = format!("{account}={rest}");
        if sentinels {
            second = format!(";{second}?");
            second.extend(lrc.then(|| lrc_of(&second, b'0')));
        }
        (account, text + &second)
    })
}

fn lrc_of(text: &str, zero: u8) -> char {
    char::from(zero + text.bytes().fold(0, |lrc, byte| lrc ^ (byte - zero)))
}

proptest! {
    #[test]
    fn another_account_number_and_back((account, text) in any_track()) {
        let other: String = account.chars().map(|digit| if digit == '9' { '0' } else { '9' }).collect();
        let tracks = Tracks::parse(&text).unwrap();
        prop_assert_eq!(tracks.account(), account.as_str());
        let changed = tracks.with_account(&other).unwrap();
        prop_assert_eq!(changed.len(), text.len());
        let back = Tracks::parse(&changed).unwrap();
        prop_assert_eq!(back.account(), other);
        prop_assert_eq!(back.with_account(&account).unwrap(), text);
    }

    #[test]
    fn any_text_is_refused_or_comes_back(text in "[%;B0-9D=^?F A-Z]{0,50}") {
        if let Ok(tracks) = Tracks::parse(&text) {
            prop_assert_eq!(tracks.with_account(&tracks.account()).unwrap(), text);
        }
    }
}
