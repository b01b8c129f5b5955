---- select
-- sqlite [0 1 1]
SELECT `status` FROM `orders` WHERE `id` = ? AND ((? IS NULL OR region = ?));
-- postgres [0 1 1]
SELECT CAST("status" AS text) FROM "orders" WHERE "id" = $1 AND ((CAST($2 AS text) IS NULL OR region = $3));
-- mysql [0 1 1]
SELECT `status` FROM `orders` WHERE `id` = ? AND ((? IS NULL OR region = ?)) FOR UPDATE;

---- lock
-- postgres [0 1 1]
SELECT 1 FROM "orders" WHERE "id" = $1 AND ((CAST($2 AS text) IS NULL OR region = $3)) FOR UPDATE;

---- create
-- sqlite [0 1 1]
INSERT INTO `orders` (`id`, `status`, `region`) VALUES (?, 'CREATED', CASE WHEN ? is NULL THEN 'none' ELSE ? END) ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0 1 1 -1 -2]
WITH idem_u AS (INSERT INTO "orders" ("id", "status", "region") VALUES ($1, 'CREATED', CASE WHEN CAST($2 AS text) is NULL THEN 'none' ELSE $3 END) ON CONFLICT DO NOTHING RETURNING "id" AS row_key, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, NULL, to_state, 'Create', CAST($4 AS text), CAST($5 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT 1 FROM idem_u;
-- mysql [0 1 1]
INSERT INTO `orders` (`id`, `status`, `region`) VALUES (?, 'CREATED', CASE WHEN ? is NULL THEN 'none' ELSE ? END) ON DUPLICATE KEY UPDATE `status` = IF(LAST_INSERT_ID(4611686018427387905), `status`, `status`);

---- create: what is in the way
-- sqlite [1 1 0]
SELECT `status`, CASE WHEN (? IS NULL OR region = ?) THEN 1 ELSE 0 END FROM `orders` WHERE `id` = ? ORDER BY 2 DESC LIMIT 1;
-- postgres [1 1 0]
SELECT CAST("status" AS text), CASE WHEN (CAST($1 AS text) IS NULL OR region = $2) THEN 1 ELSE 0 END FROM "orders" WHERE "id" = $3 ORDER BY 2 DESC LIMIT 1;
-- mysql [1 1 0]
SELECT `status`, CASE WHEN (? IS NULL OR region = ?) THEN 1 ELSE 0 END FROM `orders` WHERE `id` = ? ORDER BY 2 DESC LIMIT 1 FOR UPDATE;

---- history
-- sqlite []
INSERT INTO `order_history` (row_key, from_state, to_state, event, actor, idem_key, at_us) VALUES (?, ?, ?, ?, ?, ?, CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER));
-- mysql []
INSERT INTO `order_history` (row_key, from_state, to_state, event, actor, idem_key, at_us) VALUES (?, ?, ?, ?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)));

---- Pay
-- sqlite [5 0 1 1 2 2 3 4]
UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = 'PAID' WHERE `id` = ? AND `status` COLLATE BINARY = 'CREATED' AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) RETURNING 1;
-- postgres [5 0 1 1 2 2 3 4 1 1 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "paid_on" = CASE WHEN CAST($1 AS timestamptz) IS NULL THEN 'never' ELSE 'once' END, "status" = 'PAID' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $2 AND "status" = 'CREATED' AND ((CAST($3 AS text) IS NULL OR region = $4)) AND (CAST($5 AS bigint) IS NOT NULL AND amount = $6 AND CAST($7 AS boolean) IS NOT NULL AND CAST($8 AS double precision) IS NULL) FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND ((CAST($9 AS text) IS NULL OR region = $10)) RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($11 AS text), CAST($12 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge FROM idem_u;
-- mysql [5 0 1 1 2 2 3 4]
UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END), 'PAID', 'PAID') WHERE `id` = ? AND CAST(`status` AS BINARY) = 'CREATED' AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL);

---- Pay: check
-- sqlite [2 2 3 4 0 0 1 1]
SELECT `status`, CASE WHEN (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Pay' THEN 0 WHEN idem_h.to_state COLLATE BINARY = `orders`.`status` COLLATE BINARY AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state COLLATE BINARY = 'CREATED' ORDER BY idem_h.id DESC LIMIT 1) FROM `orders` WHERE `id` = ? AND ((? IS NULL OR region = ?));
-- postgres [2 2 3 4 0 0 1 1]
SELECT CAST("status" AS text), CASE WHEN (CAST($1 AS bigint) IS NOT NULL AND amount = $2 AND CAST($3 AS boolean) IS NOT NULL AND CAST($4 AS double precision) IS NULL) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event <> 'Pay' THEN 0 WHEN idem_h.to_state = CAST("orders"."status" AS text) AND NOT EXISTS (SELECT 1 FROM "order_history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "order_history" AS idem_h WHERE idem_h.row_key = $5 AND idem_h.from_state = 'CREATED' ORDER BY idem_h.id DESC LIMIT 1) FROM "orders" WHERE "id" = $6 AND ((CAST($7 AS text) IS NULL OR region = $8));
-- mysql [2 2 3 4 0 0 1 1]
SELECT `status`, CASE WHEN (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Pay' THEN 0 WHEN CAST(idem_h.to_state AS BINARY) = CAST(`orders`.`status` AS BINARY) AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND CAST(idem_h.from_state AS BINARY) = 'CREATED' ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `orders` WHERE `id` = ? AND ((? IS NULL OR region = ?)) FOR UPDATE;

---- Pay: many
-- sqlite [-4 1 1 2 2 3 4 5 1 1 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY = 'CREATED' AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL)) UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = 'PAID' WHERE `id` IN (SELECT idem_key FROM idem_w) AND ((? IS NULL OR region = ?)) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [5 -4 1 1 2 2 3 4 1 1 -5 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "paid_on" = CASE WHEN CAST($1 AS timestamptz) IS NULL THEN 'never' ELSE 'once' END, "status" = 'PAID' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" = 'CREATED' AND ((CAST($2 AS text) IS NULL OR region = $3)) AND (CAST($4 AS bigint) IS NOT NULL AND amount = $5 AND CAST($6 AS boolean) IS NOT NULL AND CAST($7 AS double precision) IS NULL) ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND ((CAST($8 AS text) IS NULL OR region = $9)) RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($10 AS text), CAST($11 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge FROM idem_u;
-- mysql [-5 -4 1 1 2 2 3 4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) ORDER BY `id` FOR UPDATE;
-- mysql [5 -4 1 1 2 2 3 4]
UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = 'PAID' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) = 'CREATED' AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL);

---- Pay: once
-- postgres [5 0 1 1 2 2 3 4 -6 1 1 -7 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "paid_on" = CASE WHEN CAST($1 AS timestamptz) IS NULL THEN 'never' ELSE 'once' END, "status" = 'PAID' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $2 AND "status" = 'CREATED' AND ((CAST($3 AS text) IS NULL OR region = $4)) AND (CAST($5 AS bigint) IS NOT NULL AND amount = $6 AND CAST($7 AS boolean) IS NOT NULL AND CAST($8 AS double precision) IS NULL){live} FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND ((CAST($9 AS text) IS NULL OR region = $10)) RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state, CAST(NULL AS bigint) AS version){record}, idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($11 AS text), CAST($12 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge FROM idem_u;

---- Cancel
-- sqlite [0 1 1 2 2 3 4 5 1 1]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` = ? AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL)) UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = 'CANCELLED' WHERE `id` IN (SELECT idem_key FROM idem_w) AND ((? IS NULL OR region = ?)) RETURNING (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [5 0 1 1 2 2 3 4 1 1 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "paid_on" = CASE WHEN CAST($1 AS timestamptz) IS NULL THEN 'never' ELSE 'once' END, "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $2 AND "status" IN ('CREATED', 'PAID') AND ((CAST($3 AS text) IS NULL OR region = $4)) AND (CAST($5 AS bigint) IS NOT NULL AND amount = $6 AND CAST($7 AS boolean) IS NOT NULL AND CAST($8 AS double precision) IS NULL) FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND ((CAST($9 AS text) IS NULL OR region = $10)) RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($11 AS text), CAST($12 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge FROM idem_u;
-- mysql [5 0 1 1 2 2 3 4]
UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END), 'CANCELLED', 'CANCELLED') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL);

---- Cancel: check
-- sqlite [2 2 3 4 0 0 1 1]
SELECT `status`, CASE WHEN (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Cancel' THEN 0 WHEN idem_h.to_state COLLATE BINARY = `orders`.`status` COLLATE BINARY AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state COLLATE BINARY IN ('CREATED', 'PAID') ORDER BY idem_h.id DESC LIMIT 1) FROM `orders` WHERE `id` = ? AND ((? IS NULL OR region = ?));
-- postgres [2 2 3 4 0 0 1 1]
SELECT CAST("status" AS text), CASE WHEN (CAST($1 AS bigint) IS NOT NULL AND amount = $2 AND CAST($3 AS boolean) IS NOT NULL AND CAST($4 AS double precision) IS NULL) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event <> 'Cancel' THEN 0 WHEN idem_h.to_state = CAST("orders"."status" AS text) AND NOT EXISTS (SELECT 1 FROM "order_history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "order_history" AS idem_h WHERE idem_h.row_key = $5 AND idem_h.from_state IN ('CREATED', 'PAID') ORDER BY idem_h.id DESC LIMIT 1) FROM "orders" WHERE "id" = $6 AND ((CAST($7 AS text) IS NULL OR region = $8));
-- mysql [2 2 3 4 0 0 1 1]
SELECT `status`, CASE WHEN (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Cancel' THEN 0 WHEN CAST(idem_h.to_state AS BINARY) = CAST(`orders`.`status` AS BINARY) AND NOT EXISTS (SELECT 1 FROM `order_history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `order_history` AS idem_h WHERE idem_h.row_key = ? AND CAST(idem_h.from_state AS BINARY) IN ('CREATED', 'PAID') ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `orders` WHERE `id` = ? AND ((? IS NULL OR region = ?)) FOR UPDATE;

---- Cancel: many
-- sqlite [-4 1 1 2 2 3 4 5 1 1 -5]
WITH idem_w AS MATERIALIZED (SELECT `id` AS idem_key, `status` AS idem_from FROM `orders` WHERE `id` IN ({keys}) AND `status` COLLATE BINARY IN ('CREATED', 'PAID') AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL)) UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = 'CANCELLED' WHERE `id` IN (SELECT idem_key FROM idem_w) AND ((? IS NULL OR region = ?)) RETURNING CASE `id` {ordinals} END, (SELECT CASE idem_from COLLATE BINARY WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM idem_w WHERE idem_key = `orders`.`id`);
-- postgres [5 -4 1 1 2 2 3 4 1 1 -5 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "paid_on" = CASE WHEN CAST($1 AS timestamptz) IS NULL THEN 'never' ELSE 'once' END, "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" IN ({keys}) AND "status" IN ('CREATED', 'PAID') AND ((CAST($2 AS text) IS NULL OR region = $3)) AND (CAST($4 AS bigint) IS NOT NULL AND amount = $5 AND CAST($6 AS boolean) IS NOT NULL AND CAST($7 AS double precision) IS NULL) ORDER BY "id" FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND ((CAST($8 AS text) IS NULL OR region = $9)) RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state), idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($10 AS text), CAST($11 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge FROM idem_u;
-- mysql [-5 -4 1 1 2 2 3 4]
SELECT CASE `id` {ordinals} END, CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END FROM `orders` WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL) ORDER BY `id` FOR UPDATE;
-- mysql [5 -4 1 1 2 2 3 4]
UPDATE `orders` SET `paid_on` = CASE WHEN ? IS NULL THEN 'never' ELSE 'once' END, `status` = 'CANCELLED' WHERE `id` IN ({keys}) AND CAST(`status` AS BINARY) IN ('CREATED', 'PAID') AND ((? IS NULL OR region = ?)) AND (? IS NOT NULL AND amount = ? AND ? IS NOT NULL AND ? IS NULL);

---- Cancel: once
-- postgres [5 0 1 1 2 2 3 4 -6 1 1 -7 -1 -2]
WITH idem_u AS (UPDATE "orders" SET "paid_on" = CASE WHEN CAST($1 AS timestamptz) IS NULL THEN 'never' ELSE 'once' END, "status" = 'CANCELLED' FROM (SELECT "id" AS idem_key, "status" AS idem_from FROM "orders" WHERE "id" = $2 AND "status" IN ('CREATED', 'PAID') AND ((CAST($3 AS text) IS NULL OR region = $4)) AND (CAST($5 AS bigint) IS NOT NULL AND amount = $6 AND CAST($7 AS boolean) IS NOT NULL AND CAST($8 AS double precision) IS NULL){live} FOR UPDATE) AS idem_w WHERE "id" = idem_w.idem_key AND ((CAST($9 AS text) IS NULL OR region = $10)) RETURNING CASE idem_w.idem_from WHEN 'CREATED' THEN 1 WHEN 'PAID' THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "status" AS to_state, CAST(NULL AS bigint) AS version){record}, idem_h AS (INSERT INTO "order_history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($11 AS text), CAST($12 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge FROM idem_u;
