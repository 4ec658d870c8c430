-- What submitters say about their signing requests. Few do, so it is apart: nothing is written for a request that comes
-- without.

CREATE TABLE signing_claims (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES signing_requests (id),
    note TEXT,
    -- A JSON object of texts.
    metadata TEXT,
    -- Both in one letter case, for searches.
    search_key TEXT NOT NULL
);

-- For lists of the requests that have a pair of a name and a value, by name.
CREATE TABLE signing_metadata (
    -- SHA-256 of both, since values may be longer than an index takes.
    pair BYTEA NOT NULL,
    request_name_key TEXT NOT NULL,
    request_id TEXT NOT NULL REFERENCES signing_requests (id),
    PRIMARY KEY (pair, request_name_key, request_id)
);
