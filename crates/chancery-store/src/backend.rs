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
    /// - `SERIAL_KEY`: a primary key that counts up and is never used again;
    /// - `-- SQLite:`, `-- PostgreSQL:`, `-- Both:` on a line of their own: whom the lines below them are for, where only
    ///   one of the two has to build a table anew.
    pub(crate) fn migration_text(self, text: &str) -> String {
        let text = self.own_lines(text);
        match self {
            Backend::Sqlite => text.replace("SERIAL_KEY", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            Backend::Postgres => text
                .replace(" TEXT", " TEXT COLLATE \"C\"")
                .replace("SERIAL_KEY", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        }
    }

    fn own_lines(self, text: &str) -> String {
        let mut is_own = true;
        let mut own = String::with_capacity(text.len());
        for line in text.lines() {
            match line {
                "-- SQLite:" => is_own = self == Backend::Sqlite,
                "-- PostgreSQL:" => is_own = self == Backend::Postgres,
                "-- Both:" => is_own = true,
                _ if is_own => own.extend([line, "\n"]),
                _ => {}
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_has_lines_for_one_of_the_two() {
        let text = "a TEXT;\n-- SQLite:\nb;\n-- PostgreSQL:\nc;\n-- Both:\nd SERIAL_KEY;\n";
        assert_eq!(Backend::Sqlite.migration_text(text), "a TEXT;\nb;\nd INTEGER PRIMARY KEY AUTOINCREMENT;\n");
        assert_eq!(
            Backend::Postgres.migration_text(text),
            "a TEXT COLLATE \"C\";\nc;\nd BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY;\n"
        );
    }
}
