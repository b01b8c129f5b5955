-- sqlite
UPDATE `orders` SET `status` = 'REFUNDED' WHERE `id` = ? AND `status` = 'PAID';
UPDATE `orders` SET `status` = 'CANCELLED' WHERE `id` = ? AND `status` = 'CREATED';
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" AS t SET "status" = CASE w."status" WHEN 'PAID' THEN 'REFUNDED' WHEN 'CREATED' THEN 'CANCELLED' ELSE w."status" END FROM (SELECT "id", "status" FROM "orders" WHERE "id" = $1 AND "status" IN ('PAID', 'CREATED') FOR UPDATE) AS w WHERE t."id" = w."id" RETURNING CASE w."status" WHEN 'PAID' THEN 1 WHEN 'CREATED' THEN 2 END;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'PAID' THEN 1 WHEN 'CREATED' THEN 2 END), CASE CAST(`status` AS BINARY) WHEN 'PAID' THEN 'REFUNDED' WHEN 'CREATED' THEN 'CANCELLED' ELSE `status` END, CASE CAST(`status` AS BINARY) WHEN 'PAID' THEN 'REFUNDED' WHEN 'CREATED' THEN 'CANCELLED' ELSE `status` END) WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('PAID', 'CREATED');
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
