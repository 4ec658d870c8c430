-- Manifests: requests with many named digests, each of which is signed by itself.

-- How many; 0 for a request with one payload or digest of its own.
ALTER TABLE signing_requests ADD COLUMN items BIGINT NOT NULL DEFAULT 0;

CREATE TABLE signing_items (
    request_id TEXT NOT NULL REFERENCES signing_requests (id),
    -- In the order of the submission, from 1.
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    digest BYTEA NOT NULL,
    PRIMARY KEY (request_id, number)
);

-- Apart, so that items are only ever added to.
CREATE TABLE signing_item_results (
    request_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    -- NULL where it could not be signed.
    signature BYTEA,
    PRIMARY KEY (request_id, number),
    FOREIGN KEY (request_id, number) REFERENCES signing_items (request_id, number)
);
