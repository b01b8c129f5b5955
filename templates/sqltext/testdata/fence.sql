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

---- Pay
-- sqlite [1 0 1]
UPDATE `orders` SET `status` = 'PAID', `lock_fence` = ? WHERE `id` = ? AND `status` COLLATE BINARY = 'CREATED' AND (`lock_fence` IS NULL OR `lock_fence` <= ?) RETURNING 1;
-- postgres [1 0 1]
UPDATE "orders" SET "status" = 'PAID', "lock_fence" = $1 WHERE "id" = $2 AND "status" = 'CREATED' AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($3 AS bigint)) RETURNING 1;
-- mysql [1 0 1]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END), 'PAID', 'PAID'), `lock_fence` = ? WHERE `id` = ? AND CAST(`status` AS BINARY) = 'CREATED' AND (`lock_fence` IS NULL OR `lock_fence` <= ?);

---- Pay: check
-- sqlite [1 0]
SELECT `status`, CASE WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 ELSE 0 END FROM `orders` WHERE `id` = ?;
-- postgres [1 0]
SELECT CAST("status" AS text), CASE WHEN (("lock_fence" IS NULL OR "lock_fence" <= CAST($1 AS bigint))) IS NOT TRUE THEN 3 ELSE 0 END FROM "orders" WHERE "id" = $2;
-- mysql [1 0]
SELECT `status`, CASE WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 ELSE 0 END FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Pay: many
-- sqlite [-4 1 1 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'CREATED' AND (`lock_fence` IS NULL OR `lock_fence` <= ?)) UPDATE `orders` SET `status` = 'PAID', `lock_fence` = ? WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [1 -4 1 -5]
UPDATE "orders" SET "status" = 'PAID', "lock_fence" = $1 FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'CREATED' AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($2 AS bigint)) ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END;
-- mysql [-5 -4 1]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' AND (`lock_fence` IS NULL OR `lock_fence` <= ?) ORDER BY `id` FOR UPDATE;
-- mysql [1 -4 1]
UPDATE `orders` SET `status` = 'PAID', `lock_fence` = ? WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' AND (`lock_fence` IS NULL OR `lock_fence` <= ?);

---- Cancel
-- sqlite [0 1 1]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND (`lock_fence` IS NULL OR `lock_fence` <= ?)) UPDATE `orders` SET `status` = 'CANCELLED', `lock_fence` = ? WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [1 0 1]
UPDATE "orders" SET "status" = 'CANCELLED', "lock_fence" = $1 FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $2 AND "status" IN ('CREATED', 'PAID') AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($3 AS bigint)) FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END;
-- mysql [1 0 1]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END), 'CANCELLED', 'CANCELLED'), `lock_fence` = ? WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND (`lock_fence` IS NULL OR `lock_fence` <= ?);

---- Cancel: check
-- sqlite [1 0]
SELECT `status`, CASE WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 ELSE 0 END FROM `orders` WHERE `id` = ?;
-- postgres [1 0]
SELECT CAST("status" AS text), CASE WHEN (("lock_fence" IS NULL OR "lock_fence" <= CAST($1 AS bigint))) IS NOT TRUE THEN 3 ELSE 0 END FROM "orders" WHERE "id" = $2;
-- mysql [1 0]
SELECT `status`, CASE WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 ELSE 0 END FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Cancel: many
-- sqlite [-4 1 1 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND (`lock_fence` IS NULL OR `lock_fence` <= ?)) UPDATE `orders` SET `status` = 'CANCELLED', `lock_fence` = ? WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [1 -4 1 -5]
UPDATE "orders" SET "status" = 'CANCELLED', "lock_fence" = $1 FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('CREATED', 'PAID') AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($2 AS bigint)) ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END;
-- mysql [-5 -4 1]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND (`lock_fence` IS NULL OR `lock_fence` <= ?) ORDER BY `id` FOR UPDATE;
-- mysql [1 -4 1]
UPDATE `orders` SET `status` = 'CANCELLED', `lock_fence` = ? WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND (`lock_fence` IS NULL OR `lock_fence` <= ?);
