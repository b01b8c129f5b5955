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
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'DRAFT') ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0]
INSERT INTO "orders" ("id", "status") VALUES ($1, 'DRAFT') ON CONFLICT DO NOTHING RETURNING 1;
-- mysql [0]
INSERT INTO `orders` (`id`, `status`) VALUES (?, 'DRAFT') ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ?;
-- postgres [0]
SELECT CAST("status" AS text), 1 FROM "orders" WHERE "id" = $1;
-- mysql [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Submit
-- sqlite [0]
UPDATE `orders` SET `status` = 'REVIEW' WHERE `id` = ? AND `status` COLLATE BINARY = 'DRAFT' RETURNING 1;
-- postgres [0]
UPDATE "orders" SET "status" = 'REVIEW' WHERE "id" = $1 AND "status" = 'DRAFT' RETURNING 1;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'DRAFT' THEN 1 END), 'REVIEW', 'REVIEW') WHERE `id` = ? AND CAST(`status` AS BINARY) = 'DRAFT';

---- Submit: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'DRAFT') UPDATE `orders` SET `status` = 'REVIEW' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'DRAFT' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5]
UPDATE "orders" SET "status" = 'REVIEW' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'DRAFT' ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'DRAFT' THEN 1 END;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'DRAFT' THEN 1 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'DRAFT' ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'REVIEW' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'DRAFT';

---- Finish
-- sqlite [0]
UPDATE `orders` SET `status` = 'DONE' WHERE `id` = ? AND `status` COLLATE BINARY = 'REVIEW' RETURNING 1;
-- postgres [0]
UPDATE "orders" SET "status" = 'DONE' WHERE "id" = $1 AND "status" = 'REVIEW' RETURNING 1;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'REVIEW' THEN 1 END), 'DONE', 'DONE') WHERE `id` = ? AND CAST(`status` AS BINARY) = 'REVIEW';

---- Finish: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'REVIEW') UPDATE `orders` SET `status` = 'DONE' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'REVIEW' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5]
UPDATE "orders" SET "status" = 'DONE' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'REVIEW' ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'REVIEW' THEN 1 END;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'REVIEW' THEN 1 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'REVIEW' ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'DONE' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'REVIEW';

---- Drop
-- sqlite [0]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('DRAFT', 'REVIEW')) UPDATE `orders` SET `status` = 'DROPPED' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [0]
UPDATE "orders" SET "status" = 'DROPPED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" IN ('DRAFT', 'REVIEW') FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 2 END;
-- mysql [0]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 2 END), 'DROPPED', 'DROPPED') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('DRAFT', 'REVIEW');

---- Drop: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('DRAFT', 'REVIEW')) UPDATE `orders` SET `status` = 'DROPPED' WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-4 -5]
UPDATE "orders" SET "status" = 'DROPPED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('DRAFT', 'REVIEW') ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 2 END;
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 2 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('DRAFT', 'REVIEW') ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'DROPPED' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('DRAFT', 'REVIEW');

---- Move
-- sqlite [0 -3 -3 -3]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND (`status` COLLATE BINARY = 'DRAFT' AND ? IN (1, 3) OR `status` COLLATE BINARY = 'REVIEW' AND ? IN (2, 3))) UPDATE `orders` SET `status` = CASE ? WHEN 1 THEN 'REVIEW' WHEN 2 THEN 'DONE' WHEN 3 THEN 'DROPPED' ELSE `status` END WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 3 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [-3 0 -3 -3]
UPDATE "orders" SET "status" = CASE CAST($1 AS bigint) WHEN 1 THEN 'REVIEW' WHEN 2 THEN 'DONE' WHEN 3 THEN 'DROPPED' ELSE idem_w.idem_from END FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $2 AND ("status" = 'DRAFT' AND CAST($3 AS bigint) IN (1, 3) OR "status" = 'REVIEW' AND CAST($4 AS bigint) IN (2, 3)) FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 3 END;
-- mysql [-3 -3 0 -3 -3]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'DRAFT' THEN 1 WHEN 'REVIEW' THEN 3 END), CASE ? WHEN 1 THEN 'REVIEW' WHEN 2 THEN 'DONE' WHEN 3 THEN 'DROPPED' ELSE `status` END, CASE ? WHEN 1 THEN 'REVIEW' WHEN 2 THEN 'DONE' WHEN 3 THEN 'DROPPED' ELSE `status` END) WHERE `id` = ? AND (CAST(`status` AS BINARY) = 'DRAFT' AND ? IN (1, 3) OR CAST(`status` AS BINARY) = 'REVIEW' AND ? IN (2, 3));
