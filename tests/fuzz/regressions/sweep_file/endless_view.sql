CREATE TABLE rackcast_sweep(question TEXT NOT NULL);
INSERT INTO rackcast_sweep VALUES('{"columns":["a"],"vary":[]}');
CREATE VIEW points AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c)
  SELECT i, '[]' AS axis_values, 1 AS feasible, 1 AS nodes, 1 AS gpus, '' AS binds, 1.0 AS a FROM c;
