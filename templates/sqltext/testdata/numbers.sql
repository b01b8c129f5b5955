-- sqlite
UPDATE `orders` SET `status` = 3 WHERE `id` = ? AND `status` = -1;
UPDATE `orders` SET `status` = 3 WHERE `id` = ? AND `status` = 0;
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" AS t SET "status" = 3 FROM (SELECT "id", "status" FROM "orders" WHERE "id" = $1 AND "status" IN (-1, 0) FOR UPDATE) AS w WHERE t."id" = w."id" RETURNING CASE w."status" WHEN -1 THEN 1 WHEN 0 THEN 2 END;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE `status` WHEN -1 THEN 1 WHEN 0 THEN 2 END), 3, 3) WHERE `id` = ? AND `status` IN (-1, 0);
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
