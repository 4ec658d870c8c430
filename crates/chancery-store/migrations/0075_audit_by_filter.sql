-- Each filter of the audit records has an index in the order of their list, the newest first.
CREATE INDEX audit_action ON audit (action, at_ms, seq);
CREATE INDEX audit_node ON audit (node, at_ms, seq) WHERE node IS NOT NULL;
-- Refusals are few among what succeeds.
CREATE INDEX audit_refused ON audit (outcome, at_ms, seq) WHERE outcome <> 'Success';

-- In whose records an identity is. Triggers keep it, since a record gets its number only when it is written.
CREATE TABLE audit_identities (
    identity TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (identity, at_ms, seq)
-- SQLite:
) WITHOUT ROWID;
INSERT INTO audit_identities (identity, at_ms, seq)
    SELECT DISTINCT one.value ->> '$.uuid', a.at_ms, a.seq FROM audit AS a, json_each(a.identities) AS one;
CREATE TRIGGER audit_identities_added AFTER INSERT ON audit WHEN NEW.identities <> '[]' BEGIN
    INSERT INTO audit_identities (identity, at_ms, seq)
        SELECT DISTINCT one.value ->> '$.uuid', NEW.at_ms, NEW.seq FROM json_each(NEW.identities) AS one;
END;
CREATE TRIGGER audit_identities_removed AFTER DELETE ON audit WHEN OLD.identities <> '[]' BEGIN
    DELETE FROM audit_identities WHERE at_ms = OLD.at_ms AND seq = OLD.seq
        AND identity IN (SELECT one.value ->> '$.uuid' FROM json_each(OLD.identities) AS one);
END;
-- PostgreSQL:
);
INSERT INTO audit_identities (identity, at_ms, seq)
    SELECT DISTINCT one ->> 'uuid', a.at_ms, a.seq FROM audit AS a, json_array_elements(a.identities::json) AS one;
CREATE FUNCTION audit_identities_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit_identities (identity, at_ms, seq)
        SELECT DISTINCT one ->> 'uuid', NEW.at_ms, NEW.seq FROM json_array_elements(NEW.identities::json) AS one;
    RETURN NULL;
END $$;
CREATE FUNCTION audit_identities_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    DELETE FROM audit_identities WHERE at_ms = OLD.at_ms AND seq = OLD.seq
        AND identity IN (SELECT one ->> 'uuid' FROM json_array_elements(OLD.identities::json) AS one);
    RETURN NULL;
END $$;
CREATE TRIGGER audit_identities_added AFTER INSERT ON audit
    FOR EACH ROW WHEN (NEW.identities <> '[]') EXECUTE FUNCTION audit_identities_added();
CREATE TRIGGER audit_identities_removed AFTER DELETE ON audit
    FOR EACH ROW WHEN (OLD.identities <> '[]') EXECUTE FUNCTION audit_identities_removed();
