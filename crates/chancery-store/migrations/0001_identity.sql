-- What lets its holders do something, and how many of them must log in within one session.
CREATE TABLE roles (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name folded to one letter case.
    name_key TEXT NOT NULL UNIQUE,
    logins_required BIGINT NOT NULL,
    -- JSON: {"Signing:Approve": since when, in milliseconds}.
    perms TEXT NOT NULL,
    management BIGINT NOT NULL,
    system BIGINT NOT NULL
);

-- Persons and applications. A password is an Argon2id PHC string; of an API key only a keyed hash is kept.
CREATE TABLE identities (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    password TEXT,
    api_key_hash BYTEA UNIQUE,
    locked BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    password_changed_at_ms BIGINT,
    -- When somebody else set the password: approvals of older requests are refused.
    password_reset_at_ms BIGINT
);

CREATE TABLE identity_roles (
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    role_id TEXT NOT NULL REFERENCES roles (id),
    assigned_at_ms BIGINT NOT NULL,
    PRIMARY KEY (identity_id, role_id)
);
CREATE INDEX identity_roles_role ON identity_roles (role_id);

-- Logins that live. Of the cookie only a keyed hash is kept.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    cookie_hash BYTEA NOT NULL UNIQUE,
    opened_at_ms BIGINT NOT NULL,
    completed_at_ms BIGINT,
    last_used_at_ms BIGINT NOT NULL
);
CREATE INDEX sessions_opened ON sessions (opened_at_ms);

-- Who has logged in on a session, and with which roles (JSON: an array of ids).
CREATE TABLE session_seats (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seat BIGINT NOT NULL,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    roles TEXT NOT NULL,
    PRIMARY KEY (session_id, seat)
);
CREATE INDEX session_seats_identity ON session_seats (identity_id);

-- What bearer tokens are signed with: sealed keys. The newest signs, all verify.
CREATE TABLE bearer_keys (
    version BIGINT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at_ms BIGINT NOT NULL
);
