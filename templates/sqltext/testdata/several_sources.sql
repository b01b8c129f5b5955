-- sqlite
UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` = ? AND `status` = 'CREATED';
UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` = ? AND `status` = 'HELD';
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" AS t SET "status" = 'CANCELLED' FROM (SELECT "id", "status" FROM "orders" WHERE "id" = $1 AND "status" IN ('CREATED', 'HELD') FOR UPDATE) AS w WHERE t."id" = w."id" RETURNING CASE w."status" WHEN 'CREATED' THEN 1 WHEN 'HELD' THEN 2 END;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'CREATED' THEN 1 WHEN 'HELD' THEN 2 END), 'CANCELLED', 'CANCELLED') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('CREATED', 'HELD');
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
