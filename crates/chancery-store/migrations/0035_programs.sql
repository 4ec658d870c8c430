-- What Windows shows of a signed program: its name and an address; only where a submission has one of them.
CREATE TABLE signing_programs (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES signing_requests (id),
    name TEXT,
    url TEXT
);
