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

    /// The statements about `changes`. A position (`$1` of most) is the number of the last change on SQLite, where the
    /// numbers are in the order of commits. On PostgreSQL it is a snapshot: which transactions had ended.
    pub(crate) const fn changes(self) -> &'static ChangeTexts {
        match self {
            Backend::Sqlite => &SQLITE_CHANGES,
            Backend::Postgres => &POSTGRES_CHANGES,
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

/// Statements about `changes`.
pub(crate) struct ChangeTexts {
    /// The position now.
    pub(crate) position: &'static str,
    /// The position now, and whether something since $1 can no longer be told.
    pub(crate) next: &'static str,
    /// The changes since $1, at most $2.
    pub(crate) since: &'static str,
    /// Whether there is a change since $1.
    pub(crate) unseen: &'static str,
    /// Notes up to where `prune` goes.
    pub(crate) note_pruned: &'static str,
    /// Removes what is older than $1 milliseconds and was noted.
    pub(crate) prune: &'static str,
    /// Removes what speaks of transactions that have yet to come.
    pub(crate) forget_foreign: &'static [&'static str],
}

const SQLITE_CHANGES: ChangeTexts = ChangeTexts {
    position: "SELECT CAST(COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0) AS TEXT)",
    next: "SELECT CAST(now AS TEXT) AS position, \
        now < CAST($1 AS INTEGER) OR EXISTS \
            (SELECT 1 FROM counters WHERE name = 'changes pruned' AND value > CAST($1 AS INTEGER)) AS lost \
        FROM (SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0) AS now)",
    since: "SELECT kind, object FROM changes WHERE seq > CAST($1 AS INTEGER) ORDER BY seq LIMIT $2",
    unseen: "SELECT EXISTS (SELECT 1 FROM changes WHERE seq > CAST($1 AS INTEGER))",
    note_pruned: "INSERT INTO counters (name, value) SELECT 'changes pruned', MAX(seq) FROM changes \
        WHERE at_ms < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - $1 HAVING COUNT(*) > 0 \
        ON CONFLICT (name) DO UPDATE SET value = MAX(counters.value, excluded.value)",
    prune: "DELETE FROM changes \
        WHERE at_ms < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - $1 \
        AND seq <= (SELECT value FROM counters WHERE name = 'changes pruned')",
    forget_foreign: &[],
};

// A transaction below `xmin` of a snapshot had ended when it was taken, and what it changed was seen. All that nobody can
// have to wait for any more is below `xmin` of the current one.
const POSTGRES_CHANGES: ChangeTexts = ChangeTexts {
    position: "SELECT CAST(pg_current_snapshot() AS TEXT)",
    next: "SELECT CAST(pg_current_snapshot() AS TEXT) AS position, \
        CAST(pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(CAST($1 AS pg_snapshot)) OR EXISTS \
            (SELECT 1 FROM counters WHERE name = 'changes pruned' \
            AND value >= CAST(CAST(pg_snapshot_xmin(CAST($1 AS pg_snapshot)) AS TEXT) AS BIGINT)) AS INTEGER) AS lost",
    since: "SELECT kind, object FROM changes \
        WHERE xid >= pg_snapshot_xmin(CAST($1 AS pg_snapshot)) \
        AND NOT pg_visible_in_snapshot(xid, CAST($1 AS pg_snapshot)) ORDER BY seq LIMIT $2",
    unseen: "SELECT CAST(EXISTS (SELECT 1 FROM changes \
        WHERE xid >= pg_snapshot_xmin(CAST($1 AS pg_snapshot)) \
        AND NOT pg_visible_in_snapshot(xid, CAST($1 AS pg_snapshot))) AS INTEGER)",
    note_pruned: "INSERT INTO counters (name, value) \
        SELECT 'changes pruned', MAX(CAST(CAST(xid AS TEXT) AS BIGINT)) FROM changes \
        WHERE at_ms < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - $1 \
        AND xid < pg_snapshot_xmin(pg_current_snapshot()) HAVING COUNT(*) > 0 \
        ON CONFLICT (name) DO UPDATE SET value = GREATEST(counters.value, excluded.value)",
    prune: "DELETE FROM changes \
        WHERE at_ms < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - $1 \
        AND xid < pg_snapshot_xmin(pg_current_snapshot()) AND CAST(CAST(xid AS TEXT) AS BIGINT) <= \
            (SELECT value FROM counters WHERE name = 'changes pruned')",
    forget_foreign: &[
        "DELETE FROM changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())",
        "DELETE FROM counters WHERE name = 'changes pruned' \
            AND value >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)",
    ],
};

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
