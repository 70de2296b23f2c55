CREATE TABLE rackcast_sweep(question TEXT NOT NULL);
INSERT INTO rackcast_sweep VALUES('{"columns":["a\"); DROP TABLE rackcast_sweep; --"],"vary":[]}');
