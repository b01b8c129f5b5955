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
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'CREATED') ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0 -1 -2]
WITH idem_u AS (INSERT INTO "orders" ("id", "status") VALUES ($1, 'CREATED') ON CONFLICT DO NOTHING RETURNING "id" AS row_key, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, NULL, to_state, 'Create', CAST($2 AS text), CAST($3 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT 1 FROM idem_u;
-- mysql [0]
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'CREATED') ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ?;
-- postgres [0]
SELECT CAST("status" AS text), 1 FROM "orders" WHERE "id" = $1;
-- mysql [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ? FOR UPDATE;

---- history
-- sqlite []
INSERT INTO `order_history` (row_key, from_state, to_state, event, actor, idem_key, at_us) VALUES (?, ?, ?, ?, ?, ?, CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER));
-- mysql []
INSERT INTO `order_history` (row_key, from_state, to_state, event, actor, idem_key, at_us) VALUES (?, ?, ?, ?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)));

---- Pay
-- sqlite [0]
UPDATE `orders` SET `status` = 'PAID' WHERE `id` = ? AND `status` COLLATE BINARY = 'CREATED' RETURNING 1;
-- postgres [0 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "status" = 'PAID' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" = 'CREATED' FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($2 AS text), CAST($3 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge FROM idem_u;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END), 'PAID', 'PAID') WHERE `id` = ? AND CAST(`status` AS BINARY) = 'CREATED';

---- Pay: check
-- sqlite [0 0]
SELECT `status`, 0, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Pay' THEN 0 WHEN idem_h.to_state COLLATE BINARY = `orders`.`status` COLLATE BINARY AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state COLLATE BINARY = 'CREATED' ORDER BY idem_h.id DESC LIMIT 1) FROM `orders` WHERE `id` = ?;
-- postgres [0 0]
SELECT CAST("status" AS text), 0, (SELECT CASE WHEN idem_h.event <> 'Pay' THEN 0 WHEN idem_h.to_state = CAST("orders"."status" AS text) AND NOT EXISTS (SELECT 1 FROM "order_history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "order_history" AS idem_h WHERE idem_h.row_key = $1 AND idem_h.from_state = 'CREATED' ORDER BY idem_h.id DESC LIMIT 1) FROM "orders" WHERE "id" = $2;
-- mysql [0 0]
SELECT `status`, 0, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Pay' THEN 0 WHEN CAST(idem_h.to_state AS BINARY) = CAST(`orders`.`status` AS BINARY) AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND CAST(idem_h.from_state AS BINARY) = 'CREATED' ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Pay: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'CREATED') UPDATE `orders` SET `status` = 'PAID' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "status" = 'PAID' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'CREATED' ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($1 AS text), CAST($2 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge FROM idem_u;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'PAID' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED';

---- Cancel
-- sqlite [0]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('CREATED', 'PAID')) UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [0 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" IN ('CREATED', 'PAID') FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($2 AS text), CAST($3 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge FROM idem_u;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END), 'CANCELLED', 'CANCELLED') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID');

---- Cancel: check
-- sqlite [0 0]
SELECT `status`, 0, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Cancel' THEN 0 WHEN idem_h.to_state COLLATE BINARY = `orders`.`status` COLLATE BINARY AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state COLLATE BINARY IN ('CREATED', 'PAID') ORDER BY idem_h.id DESC LIMIT 1) FROM `orders` WHERE `id` = ?;
-- postgres [0 0]
SELECT CAST("status" AS text), 0, (SELECT CASE WHEN idem_h.event <> 'Cancel' THEN 0 WHEN idem_h.to_state = CAST("orders"."status" AS text) AND NOT EXISTS (SELECT 1 FROM "order_history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "order_history" AS idem_h WHERE idem_h.row_key = $1 AND idem_h.from_state IN ('CREATED', 'PAID') ORDER BY idem_h.id DESC LIMIT 1) FROM "orders" WHERE "id" = $2;
-- mysql [0 0]
SELECT `status`, 0, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Cancel' THEN 0 WHEN CAST(idem_h.to_state AS BINARY) = CAST(`orders`.`status` AS BINARY) AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND CAST(idem_h.from_state AS BINARY) IN ('CREATED', 'PAID') ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Cancel: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('CREATED', 'PAID')) UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('CREATED', 'PAID') ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($1 AS text), CAST($2 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge FROM idem_u;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID');
