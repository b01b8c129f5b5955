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
INSERT INTO `orders` (`id`, `status`, `version`) VALUES (?, 'CREATED', 0) ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0]
INSERT INTO "orders" ("id", "status", "version") VALUES ($1, 'CREATED', 0) ON CONFLICT DO NOTHING RETURNING 1;
-- mysql [0]
INSERT INTO `orders` (`id`, `status`, `version`) VALUES (?, 'CREATED', 0) ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ?;
-- postgres [0]
SELECT CAST("status" AS text), 1 FROM "orders" WHERE "id" = $1;
-- mysql [0]
SELECT `status`, 1 FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Pay
-- sqlite [0 1]
UPDATE `orders` SET `status` = 'PAID', `version` = `version` + 1 WHERE `id` = ? AND `status` COLLATE BINARY = 'CREATED' AND ? IN (`version`, -1) RETURNING 1, `version`;
-- postgres [0 1]
UPDATE "orders" SET "status" = 'PAID', "version" = "version" + 1 WHERE "id" = $1 AND "status" = 'CREATED' AND CAST($2 AS bigint) IN ("version", -1) RETURNING 1, "version";
-- mysql [0 1]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END + 2 * IF(`version` BETWEEN 0 AND 4611686018427387901, `version` + 1, 0)), 'PAID', 'PAID'), `version` = `version` + 1 WHERE `id` = ? AND CAST(`status` AS BINARY) = 'CREATED' AND ? IN (`version`, -1);

---- Pay: check
-- sqlite [1 0]
SELECT `status`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 ELSE 0 END FROM `orders` WHERE `id` = ?;
-- postgres [1 0]
SELECT CAST("status" AS text), CASE WHEN (CAST($1 AS bigint) IN ("version", -1)) IS NOT TRUE THEN 2 ELSE 0 END FROM "orders" WHERE "id" = $2;
-- mysql [1 0]
SELECT `status`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 ELSE 0 END FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Pay: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'CREATED') UPDATE `orders` SET `status` = 'PAID', `version` = `version` + 1 WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`), `version`;
-- postgres [-4 -5]
UPDATE "orders" SET "status" = 'PAID', "version" = "version" + 1 FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'CREATED' ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END, "version";
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END, `version` + 1 FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'PAID', `version` = `version` + 1 WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED';

---- Cancel
-- sqlite [0 1]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND ? IN (`version`, -1)) UPDATE `orders` SET `status` = 'CANCELLED', `version` = `version` + 1 WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`), `version`;
-- postgres [0 1]
UPDATE "orders" SET "status" = 'CANCELLED', "version" = "version" + 1 FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $1 AND "status" IN ('CREATED', 'PAID') AND CAST($2 AS bigint) IN ("version", -1) FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END, "version";
-- mysql [0 1]
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END + 3 * IF(`version` BETWEEN 0 AND 3074457345618258600, `version` + 1, 0)), 'CANCELLED', 'CANCELLED'), `version` = `version` + 1 WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND ? IN (`version`, -1);

---- Cancel: check
-- sqlite [1 0]
SELECT `status`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 ELSE 0 END FROM `orders` WHERE `id` = ?;
-- postgres [1 0]
SELECT CAST("status" AS text), CASE WHEN (CAST($1 AS bigint) IN ("version", -1)) IS NOT TRUE THEN 2 ELSE 0 END FROM "orders" WHERE "id" = $2;
-- mysql [1 0]
SELECT `status`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 ELSE 0 END FROM `orders` WHERE `id` = ? FOR UPDATE;

---- Cancel: many
-- sqlite [-4 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('CREATED', 'PAID')) UPDATE `orders` SET `status` = 'CANCELLED', `version` = `version` + 1 WHERE `id` IN (SELECT idem_key FROM idem_w) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`), `version`;
-- postgres [-4 -5]
UPDATE "orders" SET "status" = 'CANCELLED', "version" = "version" + 1 FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('CREATED', 'PAID') ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key RETURNING CASE idem_w.idem_key {ordinals} END, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END, "version";
-- mysql [-5 -4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END, `version` + 1 FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') ORDER BY `id` FOR UPDATE;
-- mysql [-4]
UPDATE `orders` SET `status` = 'CANCELLED', `version` = `version` + 1 WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID');
