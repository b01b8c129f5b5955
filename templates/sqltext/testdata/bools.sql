-- sqlite
UPDATE `orders` SET `status` = 1 WHERE `id` = ? AND `status` = 0;
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" SET "status" = TRUE WHERE "id" = $1 AND "status" = FALSE RETURNING 1;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE `status` WHEN 0 THEN 1 END), 1, 1) WHERE `id` = ? AND `status` = 0;
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
