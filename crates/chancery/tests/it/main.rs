//! The `chancery` program as a process.

mod commands;
mod kill;
mod process;
mod quickstart;
mod serve;
