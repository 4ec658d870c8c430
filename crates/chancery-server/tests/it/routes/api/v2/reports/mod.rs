mod access;
