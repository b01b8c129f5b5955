-- sqlite
UPDATE `orders` SET `status` = 'PAID' WHERE `id` = ? AND `status` = 'CREATED';
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" SET "status" = 'PAID' WHERE "id" = $1 AND "status" = 'CREATED' RETURNING 1;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 END), 'PAID', 'PAID') WHERE `id` = ? AND CAST(`status` AS BINARY) = 'CREATED';
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
