-- How many rows there are in tables that grow with every call, so that a list of all of them says it at once.

-- SQLite:
CREATE TABLE row_counts (
    table_name TEXT NOT NULL PRIMARY KEY,
    counted BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER audit_added AFTER INSERT ON audit BEGIN
    UPDATE row_counts SET counted = counted + 1 WHERE table_name = 'audit';
END;
CREATE TRIGGER audit_removed AFTER DELETE ON audit BEGIN
    UPDATE row_counts SET counted = counted - 1 WHERE table_name = 'audit';
END;
CREATE TRIGGER keys_added AFTER INSERT ON keys BEGIN
    UPDATE row_counts SET counted = counted + 1 WHERE table_name = 'keys';
END;
CREATE TRIGGER keys_removed AFTER DELETE ON keys BEGIN
    UPDATE row_counts SET counted = counted - 1 WHERE table_name = 'keys';
END;
CREATE TRIGGER proposals_added AFTER INSERT ON proposals BEGIN
    UPDATE row_counts SET counted = counted + 1 WHERE table_name = 'proposals';
END;
CREATE TRIGGER proposals_removed AFTER DELETE ON proposals BEGIN
    UPDATE row_counts SET counted = counted - 1 WHERE table_name = 'proposals';
END;
CREATE TRIGGER signing_requests_added AFTER INSERT ON signing_requests BEGIN
    UPDATE row_counts SET counted = counted + 1 WHERE table_name = 'signing_requests';
END;
CREATE TRIGGER signing_requests_removed AFTER DELETE ON signing_requests BEGIN
    UPDATE row_counts SET counted = counted - 1 WHERE table_name = 'signing_requests';
END;

-- PostgreSQL:
-- Several rows a table, which are added up: a transaction takes one that no other has, and adds one where there is none,
-- so nobody ever waits for a count. There are never more of them than there were transactions at a time.
CREATE TABLE row_counts (
    id SERIAL_KEY,
    table_name TEXT NOT NULL,
    counted BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    change bigint;
    free bigint;
BEGIN
    SELECT COUNT(*) INTO change FROM changed;
    IF change = 0 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        change := -change;
    END IF;
    SELECT id INTO free FROM row_counts WHERE table_name = TG_TABLE_NAME LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE row_counts SET counted = counted + change WHERE id = free;
    ELSE
        INSERT INTO row_counts (table_name, counted) VALUES (TG_TABLE_NAME, change);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_added AFTER INSERT ON audit
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER audit_removed AFTER DELETE ON audit
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER keys_added AFTER INSERT ON keys
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER keys_removed AFTER DELETE ON keys
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER proposals_added AFTER INSERT ON proposals
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER proposals_removed AFTER DELETE ON proposals
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER signing_requests_added AFTER INSERT ON signing_requests
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();
CREATE TRIGGER signing_requests_removed AFTER DELETE ON signing_requests
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_rows();

-- Both:
-- What is there; nobody writes between the triggers and this.
INSERT INTO row_counts (table_name, counted) SELECT 'audit', COUNT(*) FROM audit;
INSERT INTO row_counts (table_name, counted) SELECT 'keys', COUNT(*) FROM keys;
INSERT INTO row_counts (table_name, counted) SELECT 'proposals', COUNT(*) FROM proposals;
INSERT INTO row_counts (table_name, counted) SELECT 'signing_requests', COUNT(*) FROM signing_requests;
