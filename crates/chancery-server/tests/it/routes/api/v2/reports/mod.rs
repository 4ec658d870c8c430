mod access;
mod effect;
