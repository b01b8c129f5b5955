-- sqlite
UPDATE `shop`.`order` SET `status` = ?, `group2` = ?, `rev` = `rev` + 1 WHERE `group` = ? AND `no` = ? AND (tenant_id = ?) AND `rev` = ? AND (level - (-1) > ?);
SELECT `rev`, CASE WHEN level - (-1) > ? THEN 1 ELSE 0 END FROM `shop`.`order` WHERE `group` = ? AND `no` = ? AND (tenant_id = ?);
-- postgres
UPDATE "shop"."order" SET "status" = $1, "group2" = $2, "rev" = "rev" + 1 WHERE "group" = $3 AND "no" = $4 AND (tenant_id = $5) AND "rev" = $6 AND (level - (-1) > $7);
SELECT "rev", CASE WHEN level - (-1) > $1 THEN 1 ELSE 0 END FROM "shop"."order" WHERE "group" = $2 AND "no" = $3 AND (tenant_id = $4);
-- mysql
UPDATE `shop`.`order` SET `status` = ?, `group2` = ?, `rev` = `rev` + 1 WHERE `group` = ? AND `no` = ? AND (tenant_id = ?) AND `rev` = ? AND (level - (-1) > ?);
SELECT `rev`, CASE WHEN level - (-1) > ? THEN 1 ELSE 0 END FROM `shop`.`order` WHERE `group` = ? AND `no` = ? AND (tenant_id = ?) FOR UPDATE;
-- arguments
-- [5 6 1 2 3 0 4]
-- [4 1 2 3]
