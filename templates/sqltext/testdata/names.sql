---- select
-- sqlite [0]
SELECT `a"b``c` FROM `shop`.`order` WHERE `group` = ?;
-- postgres [0]
SELECT CAST("a""b`c" AS text) FROM "shop"."order" WHERE "group" = $1;
-- mysql [0]
SELECT `a"b``c` FROM `shop`.`order` WHERE `group` = ? FOR UPDATE;

---- lock
-- postgres [0]
SELECT 1 FROM "shop"."order" WHERE "group" = $1 FOR UPDATE;

---- create
-- sqlite [0]
INSERT INTO `shop`.`order` (`group`, `a"b``c`) VALUES (?, 'x') ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0]
INSERT INTO "shop"."order" ("group", "a""b`c") VALUES ($1, 'x') ON CONFLICT DO NOTHING RETURNING 1;
-- mysql [0]
INSERT INTO `shop`.`order` (`group`, `a"b``c`) VALUES (?, 'x') ON DUPLICATE KEY UPDATE `a"b``c` = IF(LAST_INSERT_ID(4611686018427387905), `a"b``c`, `a"b``c`);

---- create: what is in the way
-- sqlite [0]
SELECT `a"b``c`, 1 FROM `shop`.`order` WHERE `group` = ?;
-- postgres [0]
SELECT CAST("a""b`c" AS text), 1 FROM "shop"."order" WHERE "group" = $1;
-- mysql [0]
SELECT `a"b``c`, 1 FROM `shop`.`order` WHERE `group` = ? FOR UPDATE;

---- Go
-- sqlite [0]
WITH idem_w AS MATERIALIZED (SELECT `group` AS idem_key, `a"b``c` AS idem_from FROM `shop`.`order` WHERE `group` = ? AND `a"b``c` COLLATE BINARY IN ('x', 'z')) UPDATE `shop`.`order` SET `a"b``c` = 'y' WHERE `group` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'x' THEN 1 WHEN 'z' THEN 2 END FROM idem_w WHERE idem_key = `order`.`group`);
-- postgres [0]
UPDATE "shop"."order" SET "a""b`c" = 'y' FROM (SELECT "group" AS idem_key, "a""b`c" AS idem_from FROM "shop"."order" WHERE "group" = $1 AND "a""b`c" IN ('x', 'z') FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'x' THEN 1 WHEN 'z' THEN 2 END;
-- mysql [0]
UPDATE `shop`.`order` SET `a"b``c` = IF(LAST_INSERT_ID(CASE CAST(`a"b``c` AS BINARY) WHEN 'x' THEN 1 WHEN 'z' THEN 2 END), 'y', 'y') WHERE `group` = ? AND CAST(`a"b``c` AS BINARY) IN ('x', 'z');

---- Go: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `group` AS idem_key, `a"b``c` AS idem_from FROM `shop`.`order` WHERE `group` IN ({keys}) AND `a"b``c` COLLATE BINARY IN ('x', 'z')) UPDATE `shop`.`order` SET `a"b``c` = 'y' WHERE `group` IN (SELECT idem_key FROM idem_w) RETURNING CASE `group` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'x' THEN 1 WHEN 'z' THEN 2 END FROM idem_w WHERE idem_key = `order`.`group`);
-- postgres [-4 -5]
UPDATE "shop"."order" SET "a""b`c" = 'y' FROM (SELECT "group" AS idem_key, "a""b`c" AS idem_from FROM "shop"."order" WHERE "group" IN ({keys}) AND "a""b`c" IN ('x', 'z') ORDER BY "group" FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'x' THEN 1 WHEN 'z' THEN 2 END;
-- mysql [-5 -4]
SELECT CASE `group` {ordinals} END, CASE CAST(`a"b``c` AS BINARY) WHEN 'x' THEN 1 WHEN 'z' THEN 2 END FROM `shop`.`order` WHERE `group` IN ({keys}) AND CAST(`a"b``c` AS BINARY) IN ('x', 'z') ORDER BY `group` FOR UPDATE;
-- mysql [-4]
UPDATE `shop`.`order` SET `a"b``c` = 'y' WHERE `group` IN ({keys}) AND CAST(`a"b``c` AS BINARY) IN ('x', 'z');
