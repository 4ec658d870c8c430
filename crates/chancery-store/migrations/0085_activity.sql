-- How much each server has done, by the hour. Each writes its own rows alone, so that none waits for another.
CREATE TABLE activity (
    hour_ms BIGINT NOT NULL,
    node TEXT NOT NULL,
    kind TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (hour_ms, node, kind)
);
