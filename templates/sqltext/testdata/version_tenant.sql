-- sqlite
UPDATE `shop`.`order` SET `note` = ?, `order` = COALESCE( `order` , 'it''s' ), `was` = rev, `rev` = `rev` + 1 WHERE `group` = ? AND `no` = ? AND (tenant_id = ?) AND `rev` = ? AND (state = 'PAID' OR level = (-1) OR owner = ?);
SELECT `rev`, CASE WHEN state = 'PAID' OR level = (-1) OR owner = ? THEN 1 ELSE 0 END FROM `shop`.`order` WHERE `group` = ? AND `no` = ? AND (tenant_id = ?);
-- postgres
UPDATE "shop"."order" SET "note" = $1, "order" = COALESCE( "order" , 'it''s' ), "was" = rev, "rev" = "rev" + 1 WHERE "group" = $2 AND "no" = $3 AND (tenant_id = $4) AND "rev" = $5 AND (state = 'PAID' OR level = (-1) OR owner = $6);
SELECT "rev", CASE WHEN state = 'PAID' OR level = (-1) OR owner = $1 THEN 1 ELSE 0 END FROM "shop"."order" WHERE "group" = $2 AND "no" = $3 AND (tenant_id = $4);
-- mysql
UPDATE `shop`.`order` SET `note` = ?, `order` = COALESCE( `order` , 'it''s' ), `was` = rev, `rev` = `rev` + 1 WHERE `group` = ? AND `no` = ? AND (tenant_id = ?) AND `rev` = ? AND (state = 'PAID' OR level = (-1) OR owner = ?);
SELECT `rev`, CASE WHEN state = 'PAID' OR level = (-1) OR owner = ? THEN 1 ELSE 0 END FROM `shop`.`order` WHERE `group` = ? AND `no` = ? AND (tenant_id = ?) FOR UPDATE;
-- arguments
-- [5 1 2 3 0 4]
-- [4 1 2 3]
