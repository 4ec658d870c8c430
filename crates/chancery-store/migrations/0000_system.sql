-- Counters that must follow the order of commits: the row's lock is held until the commit.
CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('changes', 0);

-- What other nodes must look at again. Without a row for it, a change is not seen until restart.
CREATE TABLE changes (
    seq BIGINT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    object TEXT
);

-- Settings of the installation: JSON by name.
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
