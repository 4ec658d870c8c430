mod fresh_factor;
mod settings;
