---- select
-- sqlite [0 1]
SELECT `status` FROM `orders` WHERE `id` = ? AND (tenant_id = ?);
-- postgres [0 1]
SELECT CAST("status" AS text) FROM "orders" WHERE "id" = $1 AND (tenant_id = $2);
-- mysql [0 1]
SELECT `status` FROM `orders` WHERE `id` = ? AND (tenant_id = ?) FOR UPDATE;

---- lock
-- postgres [0 1]
SELECT 1 FROM "orders" WHERE "id" = $1 AND (tenant_id = $2) FOR UPDATE;

---- create
-- sqlite [0 1]
INSERT INTO `orders` (`id`, `status`, `tenant_id`) VALUES (?, 'CREATED', ?) ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0 1]
INSERT INTO "orders" ("id", "status", "tenant_id") VALUES ($1, 'CREATED', $2) ON CONFLICT DO NOTHING RETURNING 1;
-- mysql [0 1]
INSERT INTO `orders` (`id`, `status`, `tenant_id`) VALUES (?, 'CREATED', ?) ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [1 0]
SELECT `status`, CASE WHEN tenant_id = ? THEN 1 ELSE 0 END FROM `orders` WHERE `id` = ? ORDER BY 2 DESC LIMIT 1;
-- postgres [1 0]
SELECT CAST("status" AS text), CASE WHEN tenant_id = $1 THEN 1 ELSE 0 END FROM "orders" WHERE "id" = $2 ORDER BY 2 DESC LIMIT 1;
-- mysql [1 0]
SELECT `status`, CASE WHEN tenant_id = ? THEN 1 ELSE 0 END FROM `orders` WHERE `id` = ? ORDER BY 2 DESC LIMIT 1 FOR UPDATE;

---- Pay
-- sqlite [0 1]
UPDATE `orders` SET `status` = 'PAID' WHERE `id` = ? AND `status` COLLATE BINARY = 'CREATED' AND (tenant_id = ?) RETURNING 1;
-- postgres [0 1]
UPDATE "orders" SET "status" = 'PAID' WHERE "id" = $1 AND "status" = 'CREATED' AND (tenant_id = $2) RETURNING 1;
-- mysql [0 1]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END), 'PAID', 'PAID') WHERE `id` = ? AND CAST(`status` AS BINARY) = 'CREATED' AND (tenant_id = ?);

---- Pay: many
-- sqlite [-4 1 1 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'CREATED' AND (tenant_id = ?)) UPDATE `orders` SET `status` = 'PAID' WHERE `id` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 1 1 -5]
UPDATE "orders" SET "status" = 'PAID' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'CREATED' AND (tenant_id = $1) ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND (tenant_id = $2) RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END;
-- mysql [-5 -4 1]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' AND (tenant_id = ?) ORDER BY `id` FOR UPDATE;
-- mysql [-4 1]
UPDATE `orders` SET `status` = 'PAID' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' AND (tenant_id = ?);

---- Cancel
-- sqlite [0 1 1]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND (tenant_id = ?)) UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [0 1 1]
UPDATE "orders" SET "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" IN ('CREATED', 'PAID') AND (tenant_id = $2) FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND (tenant_id = $3) RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END;
-- mysql [0 1]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END), 'CANCELLED', 'CANCELLED') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND (tenant_id = ?);

---- Cancel: many
-- sqlite [-4 1 1 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND (tenant_id = ?)) UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 1 1 -5]
UPDATE "orders" SET "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('CREATED', 'PAID') AND (tenant_id = $1) ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND (tenant_id = $2) RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END;
-- mysql [-5 -4 1]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND (tenant_id = ?) ORDER BY `id` FOR UPDATE;
-- mysql [-4 1]
UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND (tenant_id = ?);
