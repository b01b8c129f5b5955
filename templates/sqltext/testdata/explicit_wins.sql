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
-- postgres [0]
INSERT INTO "orders" ("id", "status") VALUES ($1, 'CREATED') ON CONFLICT DO NOTHING RETURNING 1;
-- mysql [0]
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'CREATED') ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ?;
-- postgres [0]
SELECT CAST("status" AS text), 1 FROM "orders" WHERE "id" = $1;
-- mysql [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Close
-- sqlite [0]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('CREATED', 'PAID')) UPDATE `orders` SET `status` = 'CLOSED' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [0]
UPDATE "orders" SET "status" = 'CLOSED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" IN ('CREATED', 'PAID') FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END), 'CLOSED', 'CLOSED') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID');

---- Close: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('CREATED', 'PAID')) UPDATE `orders` SET `status` = 'CLOSED' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5]
UPDATE "orders" SET "status" = 'CLOSED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('CREATED', 'PAID') ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'CLOSED' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID');
