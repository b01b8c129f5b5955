-- sqlite
UPDATE `accounts` SET `seen` = seen + 1, `version` = `version` + 1 WHERE `id` = ? AND `version` = ?;
SELECT `version` FROM `accounts` WHERE `id` = ?;
-- postgres
UPDATE "accounts" SET "seen" = seen + 1, "version" = "version" + 1 WHERE "id" = $1 AND "version" = $2;
SELECT "version" FROM "accounts" WHERE "id" = $1;
-- mysql
UPDATE `accounts` SET `seen` = seen + 1, `version` = `version` + 1 WHERE `id` = ? AND `version` = ?;
SELECT `version` FROM `accounts` WHERE `id` = ? FOR UPDATE;
-- arguments
-- [1 0]
-- [1]
