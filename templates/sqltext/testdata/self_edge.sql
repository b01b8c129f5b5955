-- sqlite
UPDATE `orders` SET `status` = 'PAID' WHERE `id` = ? AND `status` = 'PAID';
UPDATE `orders` SET `status` = 'PAID' WHERE `id` = ? AND `status` = 'CREATED';
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" AS t SET "status" = 'PAID' FROM (SELECT "id", "status" FROM "orders" WHERE "id" = $1 AND "status" IN ('PAID', 'CREATED') FOR UPDATE) AS w WHERE t."id" = w."id" RETURNING CASE w."status" WHEN 'PAID' THEN 1 WHEN 'CREATED' THEN 2 END;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'PAID' THEN 1 WHEN 'CREATED' THEN 2 END), 'PAID', 'PAID') WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('PAID', 'CREATED');
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
