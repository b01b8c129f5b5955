-- sqlite
UPDATE `orders` SET `status` = 1 WHERE `id` = ? AND `status` = 0;
UPDATE `orders` SET `status` = 0 WHERE `id` = ? AND `status` = 1;
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" AS t SET "status" = CASE w."status" WHEN FALSE THEN TRUE WHEN TRUE THEN FALSE ELSE w."status" END FROM (SELECT "id", "status" FROM "orders" WHERE "id" = $1 AND "status" IN (FALSE, TRUE) FOR UPDATE) AS w WHERE t."id" = w."id" RETURNING CASE w."status" WHEN FALSE THEN 1 WHEN TRUE THEN 2 END;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE `status` WHEN 0 THEN 1 WHEN 1 THEN 2 END), CASE `status` WHEN 0 THEN 1 WHEN 1 THEN 0 ELSE `status` END, CASE `status` WHEN 0 THEN 1 WHEN 1 THEN 0 ELSE `status` END) WHERE `id` = ? AND `status` IN (0, 1);
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
