mod deploy;
