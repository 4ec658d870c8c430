mod login;
mod logout;
