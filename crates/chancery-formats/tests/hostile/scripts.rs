//! Scripts that are read in more than one way.

use chancery_formats::{Existing, Format};

use super::{finish, refused};

const SCRIPT: &str = "Write-Output 1\r\n";

fn signed(text: &str) -> Vec<u8> {
    finish(Format::Powershell, text.as_bytes(), Existing::Replace).unwrap()
}

fn why(text: &str) -> String {
    refused(Format::Powershell, text.as_bytes(), Existing::Replace)
}

#[test]
fn a_bare_carriage_return_hides_nothing_behind_a_signature() {
    let good = String::from_utf8(signed(SCRIPT)).unwrap();
    for hidden in [
        good.replace("\r\n# SIG # End", "\r\n# AAAA\rInvoke-Evil\r\n# SIG # End"),
        good.replace("block\r\n# SIG # End", "block\rInvoke-Evil\r\n# SIG # End"),
        format!("{good}#\rInvoke-Evil"),
        "# a comment\rInvoke-Evil\r\n".to_owned(),
        "Write-Output 1\r".to_owned(),
        "Write-Output 1\r\r\n".to_owned(),
    ] {
        if hidden != good {
            assert!(why(&hidden).contains("carriage return"), "{hidden:?}");
        }
    }
    let wide: Vec<u8> = "\u{feff}# a\rb\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refused(Format::Powershell, &wide, Existing::Replace).contains("carriage return"));
}

#[test]
fn a_block_has_nothing_but_a_signature() {
    let good = String::from_utf8(signed(SCRIPT)).unwrap();
    for inside in ["# {}", "#>", "Invoke-Evil", "<# AAAA", "# AAAA Invoke-Evil"] {
        let odd = good.replace("# SIG # End", &format!("{inside}\r\n# SIG # End"));
        assert!(why(&odd).contains("inside or behind"), "{inside}");
    }
    for behind in ["b\r\n", "\r\n#\r\nb", "# SIG # Begin signature block"] {
        assert!(why(&format!("{good}{behind}")).contains("inside or behind"), "{behind}");
    }
    assert_eq!(signed(&format!("{good}\r\n\r\n")), good.as_bytes(), "empty lines are nothing");
    let half = good.split("# SIG # End").next().unwrap();
    assert!(why(half).contains("no end"));
    for almost in
        ["  # SIG # Begin signature block", "# sig # begin signature block", "# SIG # Begin signature block x"]
    {
        assert!(why(&format!("{SCRIPT}{almost}\r\n")).contains("almost"), "{almost}");
    }
    // In a text about signatures it is no block.
    signed("# Looks for SIG # Begin signature block\r\n'# SIG # Begin signature block'\r\n");
}

#[test]
fn scripts_without_a_text_are_refused() {
    for file in [&b"\xfe\xff\0a"[..], b"\xff\xfea", b"caf\xe9 caf\xe9", b"\xff\xfe\x00\xd8"] {
        refused(Format::Powershell, file, Existing::Replace);
    }
    for file in ["", "\u{feff}", "a", "1+1", "\r\n\r\n\r\n", "\u{feff} \r\n"] {
        assert!(why(file).contains("empty"), "{file:?}");
        // Nor is what is left where a signature is taken away.
        let block = String::from_utf8(signed(SCRIPT)).unwrap().replace("Write-Output 1\r\n", file);
        assert!(why(&block).contains("empty") || file.starts_with('\u{feff}'), "{file:?}");
    }
}

#[test]
fn xml_is_signed_in_comments_of_xml() {
    let types = "<?xml version=\"1.0\"?>\r\n<Types>\r\n</Types>\r\n";
    for text in [types.to_owned(), format!("\u{feff}{types}"), types.replace("\r\n", "\n")] {
        let file = String::from_utf8(signed(&text)).unwrap();
        let block = file.strip_prefix(&text).unwrap();
        assert!(block.starts_with("\r\n<!-- SIG # Begin signature block -->\r\n<!-- M"), "{block}");
        assert!(block.ends_with(" -->\r\n<!-- SIG # End signature block -->\r\n"), "{block}");
        assert_eq!(signed(&file), file.as_bytes(), "signing again changes nothing");
        for odd in ["<!-- AAAA --><Evil/><!-- AAAA -->", "<Evil/>", "# AAAA", "<!-- AAAA"] {
            let odd = file.replace("<!-- SIG # End", &format!("{odd}\r\n<!-- SIG # End"));
            assert!(why(&odd).contains("inside or behind"), "{odd}");
        }
    }
    // A comment of PowerShell begins like this too.
    assert!(signed("<# .SYNOPSIS #>\r\n").windows(8).any(|bytes| bytes == b"\r\n# SIG "));
}
