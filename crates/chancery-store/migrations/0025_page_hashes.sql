-- The hashes of a program's pages, which its signature covers besides the image's digest; only where they were asked for.
CREATE TABLE signing_page_hashes (
    request_id TEXT NOT NULL PRIMARY KEY REFERENCES signing_requests (id),
    page_hashes BYTEA NOT NULL
);
