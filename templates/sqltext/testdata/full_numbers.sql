---- select
-- sqlite [0 3]
SELECT `order` FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?);
-- postgres [0 3]
SELECT "order" FROM "shop"."order" WHERE "group" = $1 AND (tenant_id = $2);
-- mysql [0 3]
SELECT `order` FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?) FOR UPDATE;

---- lock
-- postgres [0 3]
SELECT 1 FROM "shop"."order" WHERE "group" = $1 AND (tenant_id = $2) FOR UPDATE;

---- create
-- sqlite [0 1 2]
INSERT INTO `shop`.`order` (`group`, `order`, `version`, `tenant_id`, `amount`) VALUES (?, -1, 0, ?, ?) ON CONFLICT DO NOTHING RETURNING 1;
-- postgres [0 1 2 -1 -2]
WITH idem_u AS (INSERT INTO "shop"."order" ("group", "order", "version", "tenant_id", "amount") VALUES ($1, -1, 0, $2, $3) ON CONFLICT DO NOTHING RETURNING "group" AS row_key, "order" AS to_state), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, NULL, to_state, 'Create', CAST($4 AS text), CAST($5 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT 1 FROM idem_u;
-- mysql [0 1 2]
INSERT INTO `shop`.`order` (`group`, `order`, `version`, `tenant_id`, `amount`) VALUES (?, -1, 0, ?, ?) ON DUPLICATE KEY UPDATE `order` = IF(LAST_INSERT_ID(4611686018427387905), `order`, `order`);

---- create: what is in the way
-- sqlite [1 0]
SELECT `order`, CASE WHEN tenant_id = ? THEN 1 ELSE 0 END FROM `shop`.`order` WHERE `group` = ? ORDER BY 2 DESC LIMIT 1;
-- postgres [1 0]
SELECT "order", CASE WHEN tenant_id = $1 THEN 1 ELSE 0 END FROM "shop"."order" WHERE "group" = $2 ORDER BY 2 DESC LIMIT 1;
-- mysql [1 0]
SELECT `order`, CASE WHEN tenant_id = ? THEN 1 ELSE 0 END FROM `shop`.`order` WHERE `group` = ? ORDER BY 2 DESC LIMIT 1 FOR UPDATE;

---- history
-- sqlite []
INSERT INTO `shop`.`history` (row_key, from_state, to_state, event, actor, idem_key, at_us) VALUES (?, ?, ?, ?, ?, ?, CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER));
-- mysql []
INSERT INTO `shop`.`history` (row_key, from_state, to_state, event, actor, idem_key, at_us) VALUES (?, ?, ?, ?, ?, ?, TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)));

---- Pay
-- sqlite [5 2 0 3 4 2 1]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 0, `version` = `version` + 1, `lock_fence` = ? WHERE `group` = ? AND `order` = -1 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) AND ? IN (`version`, -1) RETURNING 1, `version`;
-- postgres [5 2 0 3 4 2 1 3 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 0, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" = $3 AND "order" = -1 AND (tenant_id = $4) AND (amount = $5) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($6 AS bigint)) AND CAST($7 AS bigint) IN ("version", -1) FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $8) RETURNING CASE idem_w.idem_from WHEN -1 THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($9 AS text), CAST($10 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge, version FROM idem_u;
-- mysql [5 2 0 3 4 2 1]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = IF(LAST_INSERT_ID(CASE `order` WHEN -1 THEN 1 END + 2 * IF(`version` BETWEEN 0 AND 4611686018427387901, `version` + 1, 0)), 0, 0), `version` = `version` + 1, `lock_fence` = ? WHERE `group` = ? AND `order` = -1 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) AND ? IN (`version`, -1);

---- Pay: check
-- sqlite [1 2 4 0 0 3]
SELECT `order`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 WHEN (amount = ?) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Pay' THEN 0 WHEN idem_h.to_state = `shop`.`order`.`order` AND NOT EXISTS (SELECT 1 FROM `shop`.`history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `shop`.`history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state = -1 ORDER BY idem_h.id DESC LIMIT 1) FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?);
-- postgres [1 2 4 0 0 3]
SELECT "order", CASE WHEN (CAST($1 AS bigint) IN ("version", -1)) IS NOT TRUE THEN 2 WHEN (("lock_fence" IS NULL OR "lock_fence" <= CAST($2 AS bigint))) IS NOT TRUE THEN 3 WHEN (amount = $3) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event <> 'Pay' THEN 0 WHEN idem_h.to_state = "shop"."order"."order" AND NOT EXISTS (SELECT 1 FROM "shop"."history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "shop"."history" AS idem_h WHERE idem_h.row_key = $4 AND idem_h.from_state = -1 ORDER BY idem_h.id DESC LIMIT 1) FROM "shop"."order" WHERE "group" = $5 AND (tenant_id = $6);
-- mysql [1 2 4 0 0 3]
SELECT `order`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 WHEN (amount = ?) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Pay' THEN 0 WHEN idem_h.to_state = `shop`.`order`.`order` AND NOT EXISTS (SELECT 1 FROM `shop`.`history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `shop`.`history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state = -1 ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?) FOR UPDATE;

---- Pay: many
-- sqlite [-4 3 4 2 5 2 3 -5]
WITH idem_w AS MATERIALIZED (SELECT `group` AS idem_key, `order` AS idem_from FROM `shop`.`order` WHERE `group` IN ({keys}) AND `order` = -1 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?)) UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 0, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING CASE `group` {ordinals} END, (SELECT CASE idem_from WHEN -1 THEN 1 END FROM idem_w WHERE idem_key = `order`.`group`), `version`;
-- postgres [5 2 -4 3 4 2 3 -5 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 0, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" IN ({keys}) AND "order" = -1 AND (tenant_id = $3) AND (amount = $4) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($5 AS bigint)) ORDER BY "group" FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $6) RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN -1 THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($7 AS text), CAST($8 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge, version FROM idem_u;
-- mysql [-5 -4 3 4 2]
SELECT CASE `group` {ordinals} END, CASE `order` WHEN -1 THEN 1 END, `version` + 1 FROM `shop`.`order` WHERE `group` IN ({keys}) AND `order` = -1 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) ORDER BY `group` FOR UPDATE;
-- mysql [5 2 -4 3 4 2]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 0, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN ({keys}) AND `order` = -1 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?);

---- Pay: once
-- postgres [5 2 0 3 4 2 1 -6 3 -7 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 0, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" = $3 AND "order" = -1 AND (tenant_id = $4) AND (amount = $5) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($6 AS bigint)) AND CAST($7 AS bigint) IN ("version", -1){live} FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $8) RETURNING CASE idem_w.idem_from WHEN -1 THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version){record}, idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Pay', CAST($9 AS text), CAST($10 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge, version FROM idem_u;

---- Touch
-- sqlite [5 2 0 3 4 2 1]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 0, `version` = `version` + 1, `lock_fence` = ? WHERE `group` = ? AND `order` = 0 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) AND ? IN (`version`, -1) RETURNING 1, `version`;
-- postgres [5 2 0 3 4 2 1 3 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 0, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" = $3 AND "order" = 0 AND (tenant_id = $4) AND (amount = $5) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($6 AS bigint)) AND CAST($7 AS bigint) IN ("version", -1) FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $8) RETURNING CASE idem_w.idem_from WHEN 0 THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Touch', CAST($9 AS text), CAST($10 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge, version FROM idem_u;
-- mysql [5 2 0 3 4 2 1]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = IF(LAST_INSERT_ID(CASE `order` WHEN 0 THEN 1 END + 2 * IF(`version` BETWEEN 0 AND 4611686018427387901, `version` + 1, 0)), 0, 0), `version` = `version` + 1, `lock_fence` = ? WHERE `group` = ? AND `order` = 0 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) AND ? IN (`version`, -1);

---- Touch: check
-- sqlite [1 2 4 0 0 3]
SELECT `order`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 WHEN (amount = ?) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Touch' THEN 0 WHEN idem_h.to_state = `shop`.`order`.`order` AND NOT EXISTS (SELECT 1 FROM `shop`.`history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `shop`.`history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state = 0 ORDER BY idem_h.id DESC LIMIT 1) FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?);
-- postgres [1 2 4 0 0 3]
SELECT "order", CASE WHEN (CAST($1 AS bigint) IN ("version", -1)) IS NOT TRUE THEN 2 WHEN (("lock_fence" IS NULL OR "lock_fence" <= CAST($2 AS bigint))) IS NOT TRUE THEN 3 WHEN (amount = $3) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event <> 'Touch' THEN 0 WHEN idem_h.to_state = "shop"."order"."order" AND NOT EXISTS (SELECT 1 FROM "shop"."history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "shop"."history" AS idem_h WHERE idem_h.row_key = $4 AND idem_h.from_state = 0 ORDER BY idem_h.id DESC LIMIT 1) FROM "shop"."order" WHERE "group" = $5 AND (tenant_id = $6);
-- mysql [1 2 4 0 0 3]
SELECT `order`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 WHEN (amount = ?) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Touch' THEN 0 WHEN idem_h.to_state = `shop`.`order`.`order` AND NOT EXISTS (SELECT 1 FROM `shop`.`history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `shop`.`history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state = 0 ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?) FOR UPDATE;

---- Touch: many
-- sqlite [-4 3 4 2 5 2 3 -5]
WITH idem_w AS MATERIALIZED (SELECT `group` AS idem_key, `order` AS idem_from FROM `shop`.`order` WHERE `group` IN ({keys}) AND `order` = 0 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?)) UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 0, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING CASE `group` {ordinals} END, (SELECT CASE idem_from WHEN 0 THEN 1 END FROM idem_w WHERE idem_key = `order`.`group`), `version`;
-- postgres [5 2 -4 3 4 2 3 -5 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 0, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" IN ({keys}) AND "order" = 0 AND (tenant_id = $3) AND (amount = $4) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($5 AS bigint)) ORDER BY "group" FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $6) RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN 0 THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Touch', CAST($7 AS text), CAST($8 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge, version FROM idem_u;
-- mysql [-5 -4 3 4 2]
SELECT CASE `group` {ordinals} END, CASE `order` WHEN 0 THEN 1 END, `version` + 1 FROM `shop`.`order` WHERE `group` IN ({keys}) AND `order` = 0 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) ORDER BY `group` FOR UPDATE;
-- mysql [5 2 -4 3 4 2]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 0, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN ({keys}) AND `order` = 0 AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?);

---- Touch: once
-- postgres [5 2 0 3 4 2 1 -6 3 -7 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 0, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" = $3 AND "order" = 0 AND (tenant_id = $4) AND (amount = $5) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($6 AS bigint)) AND CAST($7 AS bigint) IN ("version", -1){live} FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $8) RETURNING CASE idem_w.idem_from WHEN 0 THEN 1 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version){record}, idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Touch', CAST($9 AS text), CAST($10 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge, version FROM idem_u;

---- Cancel
-- sqlite [0 3 4 2 1 5 2 3]
WITH idem_w AS MATERIALIZED (SELECT `group` AS idem_key, `order` AS idem_from FROM `shop`.`order` WHERE `group` = ? AND `order` IN (-1, 0) AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) AND ? IN (`version`, -1)) UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 10, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING (SELECT CASE idem_from WHEN -1 THEN 1 WHEN 0 THEN 2 END FROM idem_w WHERE idem_key = `order`.`group`), `version`;
-- postgres [5 2 0 3 4 2 1 3 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 10, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" = $3 AND "order" IN (-1, 0) AND (tenant_id = $4) AND (amount = $5) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($6 AS bigint)) AND CAST($7 AS bigint) IN ("version", -1) FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $8) RETURNING CASE idem_w.idem_from WHEN -1 THEN 1 WHEN 0 THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($9 AS text), CAST($10 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge, version FROM idem_u;
-- mysql [5 2 0 3 4 2 1]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = IF(LAST_INSERT_ID(CASE `order` WHEN -1 THEN 1 WHEN 0 THEN 2 END + 3 * IF(`version` BETWEEN 0 AND 3074457345618258600, `version` + 1, 0)), 10, 10), `version` = `version` + 1, `lock_fence` = ? WHERE `group` = ? AND `order` IN (-1, 0) AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) AND ? IN (`version`, -1);

---- Cancel: check
-- sqlite [1 2 4 0 0 3]
SELECT `order`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 WHEN (amount = ?) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event COLLATE BINARY <> 'Cancel' THEN 0 WHEN idem_h.to_state = `shop`.`order`.`order` AND NOT EXISTS (SELECT 1 FROM `shop`.`history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM `shop`.`history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state IN (-1, 0) ORDER BY idem_h.id DESC LIMIT 1) FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?);
-- postgres [1 2 4 0 0 3]
SELECT "order", CASE WHEN (CAST($1 AS bigint) IN ("version", -1)) IS NOT TRUE THEN 2 WHEN (("lock_fence" IS NULL OR "lock_fence" <= CAST($2 AS bigint))) IS NOT TRUE THEN 3 WHEN (amount = $3) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN idem_h.event <> 'Cancel' THEN 0 WHEN idem_h.to_state = "shop"."order"."order" AND NOT EXISTS (SELECT 1 FROM "shop"."history" AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id) THEN 2 ELSE 1 END FROM "shop"."history" AS idem_h WHERE idem_h.row_key = $4 AND idem_h.from_state IN (-1, 0) ORDER BY idem_h.id DESC LIMIT 1) FROM "shop"."order" WHERE "group" = $5 AND (tenant_id = $6);
-- mysql [1 2 4 0 0 3]
SELECT `order`, CASE WHEN (? IN (`version`, -1)) IS NOT TRUE THEN 2 WHEN ((`lock_fence` IS NULL OR `lock_fence` <= ?)) IS NOT TRUE THEN 3 WHEN (amount = ?) IS NOT TRUE THEN 1 ELSE 0 END, (SELECT CASE WHEN CAST(idem_h.event AS BINARY) <> 'Cancel' THEN 0 WHEN idem_h.to_state = `shop`.`order`.`order` AND NOT EXISTS (SELECT 1 FROM `shop`.`history` AS idem_l WHERE idem_l.row_key = idem_h.row_key AND idem_l.id > idem_h.id LOCK IN SHARE MODE) THEN 2 ELSE 1 END FROM `shop`.`history` AS idem_h WHERE idem_h.row_key = ? AND idem_h.from_state IN (-1, 0) ORDER BY idem_h.id DESC LIMIT 1 LOCK IN SHARE MODE) FROM `shop`.`order` WHERE `group` = ? AND (tenant_id = ?) FOR UPDATE;

---- Cancel: many
-- sqlite [-4 3 4 2 5 2 3 -5]
WITH idem_w AS MATERIALIZED (SELECT `group` AS idem_key, `order` AS idem_from FROM `shop`.`order` WHERE `group` IN ({keys}) AND `order` IN (-1, 0) AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?)) UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 10, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN (SELECT idem_key FROM idem_w) AND (tenant_id = ?) RETURNING CASE `group` {ordinals} END, (SELECT CASE idem_from WHEN -1 THEN 1 WHEN 0 THEN 2 END FROM idem_w WHERE idem_key = `order`.`group`), `version`;
-- postgres [5 2 -4 3 4 2 3 -5 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 10, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" IN ({keys}) AND "order" IN (-1, 0) AND (tenant_id = $3) AND (amount = $4) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($5 AS bigint)) ORDER BY "group" FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $6) RETURNING CASE idem_w.idem_key {ordinals} END AS ordinal, CASE idem_w.idem_from WHEN -1 THEN 1 WHEN 0 THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version), idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($7 AS text), CAST($8 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT ordinal, edge, version FROM idem_u;
-- mysql [-5 -4 3 4 2]
SELECT CASE `group` {ordinals} END, CASE `order` WHEN -1 THEN 1 WHEN 0 THEN 2 END, `version` + 1 FROM `shop`.`order` WHERE `group` IN ({keys}) AND `order` IN (-1, 0) AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?) ORDER BY `group` FOR UPDATE;
-- mysql [5 2 -4 3 4 2]
UPDATE `shop`.`order` SET `changed_by` = ?, `order` = 10, `version` = `version` + 1, `lock_fence` = ? WHERE `group` IN ({keys}) AND `order` IN (-1, 0) AND (tenant_id = ?) AND (amount = ?) AND (`lock_fence` IS NULL OR `lock_fence` <= ?);

---- Cancel: once
-- postgres [5 2 0 3 4 2 1 -6 3 -7 -1 -2]
WITH idem_u AS (UPDATE "shop"."order" SET "changed_by" = $1, "order" = 10, "version" = "version" + 1, "lock_fence" = $2 FROM (SELECT "group" AS idem_key, "order" AS idem_from FROM "shop"."order" WHERE "group" = $3 AND "order" IN (-1, 0) AND (tenant_id = $4) AND (amount = $5) AND ("lock_fence" IS NULL OR "lock_fence" <= CAST($6 AS bigint)) AND CAST($7 AS bigint) IN ("version", -1){live} FOR UPDATE) AS idem_w WHERE "group" = idem_w.idem_key AND (tenant_id = $8) RETURNING CASE idem_w.idem_from WHEN -1 THEN 1 WHEN 0 THEN 2 END AS edge, idem_w.idem_key AS row_key, idem_w.idem_from AS from_state, "order" AS to_state, "version" AS version){record}, idem_h AS (INSERT INTO "shop"."history" (row_key, from_state, to_state, event, actor, idem_key, at_us) SELECT row_key, from_state, to_state, 'Cancel', CAST($9 AS text), CAST($10 AS text), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint) FROM idem_u) SELECT edge, version FROM idem_u;
