CREATE TABLE rackcast_sweep(question TEXT NOT NULL);
CREATE TABLE points(
  i INTEGER PRIMARY KEY, axis_values TEXT NOT NULL, feasible INTEGER NOT NULL, nodes INTEGER NOT NULL,
  gpus INTEGER NOT NULL, binds TEXT NOT NULL, "time_s", "unit");
INSERT INTO rackcast_sweep VALUES('{"program":"x","columns":["time_s","unit"],"scenarioN:{},"vary":[{"path":"a","values":["1","2"]}]}');
INSERT INTO points VALUES(0,'["1"]',1,2,16,'compute',1.5,'images');
INSERT INTO points VALUES(1,'["2"]',0,2,16,'too large',NULL,NULL);
