-- Records say which server wrote them, and under which account of the operating system a command of the host ran.
ALTER TABLE audit ADD COLUMN node TEXT;
-- JSON.
ALTER TABLE audit ADD COLUMN account TEXT;
