//! Lists the files of the console, so that a new one cannot be forgotten: whatever lies in `console/` and is no test is served.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The ends of names that are served, each with its type.
const TYPES: [(&str, &str); 4] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../console");
    // A folder is looked through for changes with all that is in it.
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut list = String::from("[\n");
    for path in &files {
        let name = path.strip_prefix(&root)?.to_str().ok_or("a file's name is no UTF-8")?;
        let content_type = content_type(path).ok_or_else(|| format!("console/{name}: no type is known for it"))?;
        let bytes = fs::canonicalize(path)?;
        writeln!(list, "    ({name:?}, {content_type:?}, include_bytes!({bytes:?})),")?;
    }
    list.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("console_files.rs"), list)?;
    Ok(())
}

/// All files but tests and what only the checker of types reads.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "test" {
                collect(&path, files)?;
            }
        } else if name != "tsconfig.json" && !name.ends_with(".d.ts") {
            files.push(path);
        }
    }
    Ok(())
}

fn content_type(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?;
    TYPES.iter().find(|(known, _)| *known == ending).map(|(_, content_type)| *content_type)
}
