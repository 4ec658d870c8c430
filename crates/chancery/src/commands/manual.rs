//! `chancery completions` and `chancery man`: what is made from the command line itself.

use std::{fs, io, io::Write as _};

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
    clap_mangen::generate_to(super::whole(), &command.folder).doing(folder)?;
    Ok(Exit::Done)
}
