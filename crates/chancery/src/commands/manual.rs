//! `chancery completions` and `chancery man`: what is made from the command line itself.

use std::{fs, io, io::Write as _, path::Path, process};

use crate::{
    cli::client::{Completions, Man},
    client::exit::Exit,
    failure::{Failure, While as _},
};

pub(crate) fn completions(command: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut super::whole(), "chancery", &mut script);
    match io::stdout().lock().write_all(&script) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).doing("standard output"),
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
}

pub(crate) fn pages(command: &Man) -> Result<Exit, Failure> {
    let folder = command.folder.display().to_string();
    fs::create_dir_all(&command.folder).doing(folder.clone())?;
    let fresh = command.folder.join(format!(".new.{}", process::id()));
    fs::create_dir(&fresh).doing(folder.clone())?;
    // Each gets its name when all are whole: a page that ends where the disk was full would pass for one.
    let made = clap_mangen::generate_to(super::whole(), &fresh).and_then(|()| put_in_place(&fresh, &command.folder));
    let gone = fs::remove_dir_all(&fresh);
    made.and(gone).doing(folder)?;
    Ok(Exit::Done)
}

fn put_in_place(fresh: &Path, folder: &Path) -> io::Result<()> {
    for page in fs::read_dir(fresh)? {
        let page = page?;
        fs::rename(page.path(), folder.join(page.file_name()))?;
    }
    Ok(())
}
