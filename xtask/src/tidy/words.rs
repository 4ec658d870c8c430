//! Words that must not stand where they stand: leftovers, calls that have a better place, `unsafe` outside its files.

use super::source::Source;

/// A word, the folders where it is banned (all Rust files if none), the files that may have it, and what to do instead.
struct Ban {
    word: &'static str,
    folders: &'static [&'static str],
    except: &'static [&'static str],
    instead: &'static str,
}

/// The only files with `unsafe`, each small and with its proof in comments.
const UNSAFE_FILES: &[&str] = &[
    "crates/chancery-journal/src/map.rs",
    "crates/chancery-keys/src/sign/prime.rs",
    "crates/chancery-keys/src/sign/raw_rsa.rs",
    "crates/chancery-pkcs11/src/ffi/arguments.rs",
    "crates/chancery/src/allocator.rs",
    "libs/ff1/src/kernel/aesni.rs",
    "libs/ff1/src/kernel/vaes256.rs",
    "libs/ff1/src/kernel/vaes512/mod.rs",
    "libs/rsa/src/engine/mod.rs",
];

const BANS: &[Ban] = &[
    Ban { word: "TODO", folders: &[], except: &[], instead: "do it, or write an issue" },
    Ban { word: "FIXME", folders: &[], except: &[], instead: "mend it, or write an issue" },
    Ban {
        word: "SystemTime::now",
        folders: &[
            "crates/chancery-core",
            "crates/chancery-journal",
            "crates/chancery-keys",
            "crates/chancery-store",
            "crates/chancery-verify",
            "crates/chancery-x509",
        ],
        except: &["crates/chancery-core/src/base/clock.rs"],
        instead: "time is given in: use the Clock",
    },
    Ban {
        word: ".into_pkcs8()",
        folders: &[],
        except: &["crates/chancery-core/src/pki/transport.rs"],
        instead: "key bytes stay in custody: only the own TLS key leaves it in clear",
    },
    Ban {
        word: "println!",
        folders: &[
            "crates/chancery-core",
            "crates/chancery-keys",
            "crates/chancery-store",
            "crates/chancery-server",
            "crates/chancery-types",
            "crates/chancery-verify",
            "crates/chancery-x509",
        ],
        // How a build script speaks to cargo.
        except: &["crates/chancery-server/build.rs"],
        instead: "use tracing; only the binary talks to the terminal",
    },
    Ban {
        word: "to_bytes",
        folders: &["crates/chancery-server/src/routes"],
        except: &[],
        instead: "bodies are read within bounds: use an extractor of extract/body.rs",
    },
    Ban {
        word: "into_body",
        folders: &["crates/chancery-server/src/routes"],
        except: &[],
        instead: "bodies are read within bounds: use an extractor of extract/body.rs",
    },
    Ban {
        word: "{Request,",
        folders: &["crates/chancery-server/src/routes"],
        except: &[],
        instead: "bodies are read within bounds: use an extractor of extract/body.rs",
    },
    Ban {
        word: "body::",
        folders: &["crates/chancery-server/src/routes"],
        // What they answer, not what they read.
        except: &[
            "crates/chancery-server/src/routes/api/v2/notices/events.rs",
            "crates/chancery-server/src/routes/crl.rs",
        ],
        instead: "bodies are read within bounds: use an extractor of extract/body.rs",
    },
    Ban {
        word: "axum::Json",
        folders: &["crates/chancery-server/src/routes"],
        except: &[],
        instead: "bodies are read within bounds: use an extractor of extract/body.rs",
    },
    Ban {
        word: "open_signing_key",
        folders: &["crates/chancery-core/src"],
        except: &["crates/chancery-core/src/custody/software.rs"],
        instead: "only custody holds open signing keys: have a Signer sign",
    },
    Ban {
        word: ".run_brief(",
        folders: &["crates/chancery-core/src"],
        except: &["crates/chancery-core/src/custody/software.rs"],
        instead: "how signatures are made is custody's: have a Signer sign, or use Pool::run",
    },
    Ban {
        word: ".run_then(",
        folders: &["crates/chancery-core/src"],
        except: &["crates/chancery-core/src/custody/software.rs"],
        instead: "how signatures are made is custody's: have a Signer sign, or use Pool::run",
    },
    Ban {
        word: "unsafe {",
        folders: &[],
        except: UNSAFE_FILES,
        instead: "invariant 11: name the file in xtask/src/tidy/words.rs",
    },
    Ban {
        word: "unsafe fn",
        folders: &[],
        except: UNSAFE_FILES,
        instead: "invariant 11: name the file in xtask/src/tidy/words.rs",
    },
];

pub(super) fn check(source: &Source) -> Vec<String> {
    // This file names what it bans.
    if !source.is_rust() || source.is_test() || source.starts_with("xtask/src/tidy") {
        return Vec::new();
    }
    let bans =
        BANS.iter().filter(|ban| ban.folders.is_empty() || ban.folders.iter().any(|folder| source.starts_with(folder)));
    let bans = bans.filter(|ban| !ban.except.iter().any(|file| source.path == std::path::Path::new(file)));
    let found = |ban: &'static Ban| {
        source.code().filter(|(_, line)| line.contains(ban.word)).map(move |(number, _)| (number, ban))
    };
    bans.flat_map(found)
        .map(|(number, ban)| source.complain(number, &format!("`{}`: {}", ban.word, ban.instead)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_banned_where_they_are_banned() {
        let core = "crates/chancery-core/src/x.rs";
        let text = "fn f() {\n    SystemTime::now(); // TODO\n}\n#[cfg(test)]\nmod tests { SystemTime::now() }\n";
        assert_eq!(check(&Source::of(core, text)).len(), 2);
        assert_eq!(check(&Source::of("crates/chancery-core/src/base/clock.rs", text)).len(), 1);
        assert_eq!(check(&Source::of("crates/chancery-core/tests/x.rs", text)).len(), 0);
        assert_eq!(check(&Source::of(core, "unsafe { }\n")).len(), 1);
        let route = "crates/chancery-server/src/routes/x.rs";
        assert_eq!(check(&Source::of(route, "    let bytes = to_bytes(request.into_body(), 1).await;\n")).len(), 2);
        assert_eq!(check(&Source::of("crates/chancery-server/src/extract/body.rs", "to_bytes\n")).len(), 0);
    }
}
