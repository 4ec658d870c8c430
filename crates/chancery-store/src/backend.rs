//! What the two databases call differently.

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    /// Starts a transaction that writes. SQLite takes its write lock at once: taking it later fails when another
    /// process wrote in between.
    pub(crate) const fn begin_write(self) -> &'static str {
        match self {
            Backend::Sqlite => "BEGIN IMMEDIATE",
            Backend::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }

    /// Starts a transaction that reads one state of the database throughout.
    pub(crate) const fn begin_read(self) -> &'static str {
        match self {
            Backend::Sqlite => "BEGIN DEFERRED",
            Backend::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Turns a migration's text into this database's words. Migrations are written with
    /// - `TEXT`: compared byte by byte, also on a PostgreSQL whose locale sorts otherwise;
    /// - `BYTEA`: SQLite takes any name for a type, and leaves bytes as they are;
    /// - `SERIAL_KEY`: a primary key that counts up and is never used again.
    pub(crate) fn migration_text(self, text: &str) -> String {
        match self {
            Backend::Sqlite => text.replace("SERIAL_KEY", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            Backend::Postgres => text
                .replace(" TEXT", " TEXT COLLATE \"C\"")
                .replace("SERIAL_KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        }
    }
}
