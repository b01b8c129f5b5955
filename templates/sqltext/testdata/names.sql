-- sqlite
UPDATE `shop`.`order` SET `a"b``c` = 'y' WHERE `group` = ? AND `a"b``c` = 'x';
UPDATE `shop`.`order` SET `a"b``c` = 'y' WHERE `group` = ? AND `a"b``c` = 'z';
SELECT `a"b``c` FROM `shop`.`order` WHERE `group` = ?;
-- postgres
UPDATE "shop"."order" AS t SET "a""b`c" = 'y' FROM (SELECT "group", "a""b`c" FROM "shop"."order" WHERE "group" = $1 AND "a""b`c" IN ('x', 'z') FOR UPDATE) AS w WHERE t."group" = w."group" RETURNING CASE w."a""b`c" WHEN 'x' THEN 1 WHEN 'z' THEN 2 END;
SELECT "a""b`c" FROM "shop"."order" WHERE "group" = $1;
-- mysql
UPDATE `shop`.`order` SET `a"b``c` = IF(LAST_INSERT_ID(CASE CAST(`a"b``c` AS BINARY) WHEN 'x' THEN 1 WHEN 'z' THEN 2 END), 'y', 'y') WHERE `group` = ? AND CAST(`a"b``c` AS BINARY) IN ('x', 'z');
SELECT `a"b``c` FROM `shop`.`order` WHERE `group` = ? FOR UPDATE;
