---- select
-- sqlite [0]
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres [0]
SELECT CAST("status" AS text) FROM "orders" WHERE "id" = $1;
-- mysql [0]
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;

---- lock
-- postgres [0]
SELECT 1 FROM "orders" WHERE "id" = $1 FOR UPDATE;

---- create
-- sqlite [0]
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'it''s') ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0]
INSERT INTO "orders" ("id", "status") VALUES ($1, 'it''s') ON CONFLICT DO NOTHING RETURNING 1;
-- mysql [0]
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'it''s') ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ?;
-- postgres [0]
SELECT CAST("status" AS text), 1 FROM "orders" WHERE "id" = $1;
-- mysql [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Go
-- sqlite [0]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('it''s', 'line
break', '\''; DROP TABLE orders --')) UPDATE `orders` SET `status` = CASE `status` COLLATE BINARY WHEN 'it''s' THEN 'a\' WHEN 'line
break' THEN '支付' WHEN '\''; DROP TABLE orders --' THEN 'a"b' ELSE `status` END WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN '\''; DROP TABLE orders --' THEN 3 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [0]
UPDATE "orders" SET "status" = CASE idem_w.idem_from WHEN 'it''s' THEN E'a\\' WHEN 'line
break' THEN '支付' WHEN E'\\''; DROP TABLE orders --' THEN 'a"b' ELSE idem_w.idem_from END FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" IN ('it''s', 'line
break', E'\\''; DROP TABLE orders --') FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN E'\\''; DROP TABLE orders --' THEN 3 END;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 3 END), CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN _utf8mb4 X'615C' WHEN 'line
break' THEN '支付' WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 'a"b' ELSE `status` END, CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN _utf8mb4 X'615C' WHEN 'line
break' THEN '支付' WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 'a"b' ELSE `status` END) WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('it''s', 'line
break', _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D');

---- Go: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('it''s', 'line
break', '\''; DROP TABLE orders --')) UPDATE `orders` SET `status` = CASE `status` COLLATE BINARY WHEN 'it''s' THEN 'a\' WHEN 'line
break' THEN '支付' WHEN '\''; DROP TABLE orders --' THEN 'a"b' ELSE `status` END WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN '\''; DROP TABLE orders --' THEN 3 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5]
UPDATE "orders" SET "status" = CASE idem_w.idem_from WHEN 'it''s' THEN E'a\\' WHEN 'line
break' THEN '支付' WHEN E'\\''; DROP TABLE orders --' THEN 'a"b' ELSE idem_w.idem_from END FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('it''s', 'line
break', E'\\''; DROP TABLE orders --') ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN E'\\''; DROP TABLE orders --' THEN 3 END;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 3 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('it''s', 'line
break', _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D') ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN _utf8mb4 X'615C' WHEN 'line
break' THEN '支付' WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 'a"b' ELSE `status` END WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('it''s', 'line
break', _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D');
