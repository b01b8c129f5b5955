-- sqlite
UPDATE `orders` SET `status` = 'a\' WHERE `id` = ? AND `status` = 'it''s';
UPDATE `orders` SET `status` = '支付' WHERE `id` = ? AND `status` = 'line
break';
UPDATE `orders` SET `status` = 'a"b' WHERE `id` = ? AND `status` = '\''; DROP TABLE orders --';
SELECT `status` FROM `orders` WHERE `id` = ?;
-- postgres
UPDATE "orders" AS t SET "status" = CASE w."status" WHEN 'it''s' THEN E'a\\' WHEN 'line
break' THEN '支付' WHEN E'\\''; DROP TABLE orders --' THEN 'a"b' ELSE w."status" END FROM (SELECT "id", "status" FROM "orders" WHERE "id" = $1 AND "status" IN ('it''s', 'line
break', E'\\''; DROP TABLE orders --') FOR UPDATE) AS w WHERE t."id" = w."id" RETURNING CASE w."status" WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN E'\\''; DROP TABLE orders --' THEN 3 END;
SELECT "status" FROM "orders" WHERE "id" = $1;
-- mysql
UPDATE `orders` SET `status` = IF(LAST_INSERT_ID(CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN 1 WHEN 'line
break' THEN 2 WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 3 END), CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN _utf8mb4 X'615C' WHEN 'line
break' THEN '支付' WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 'a"b' ELSE `status` END, CASE CAST(`status` AS BINARY) WHEN 'it''s' THEN _utf8mb4 X'615C' WHEN 'line
break' THEN '支付' WHEN _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D' THEN 'a"b' ELSE `status` END) WHERE `id` = ? AND CAST(`status` AS BINARY) IN ('it''s', 'line
break', _utf8mb4 X'5C273B2044524F50205441424C45206F7264657273202D2D');
SELECT `status` FROM `orders` WHERE `id` = ? FOR UPDATE;
