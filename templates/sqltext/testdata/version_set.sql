-- sqlite
UPDATE `accounts` SET `balance` = balance - ?, `version` = `version` + 1 WHERE `id` = ? AND `version` = ? AND (balance >= ?);
SELECT `version`, CASE WHEN balance >= ? THEN 1 ELSE 0 END FROM `accounts` WHERE `id` = ?;
-- postgres
UPDATE "accounts" SET "balance" = balance - $1, "version" = "version" + 1 WHERE "id" = $2 AND "version" = $3 AND (balance >= $4);
SELECT "version", CASE WHEN balance >= $1 THEN 1 ELSE 0 END FROM "accounts" WHERE "id" = $2;
-- mysql
UPDATE `accounts` SET `balance` = balance - ?, `version` = `version` + 1 WHERE `id` = ? AND `version` = ? AND (balance >= ?);
SELECT `version`, CASE WHEN balance >= ? THEN 1 ELSE 0 END FROM `accounts` WHERE `id` = ? FOR UPDATE;
-- arguments
-- [2 1 0 2]
-- [2 1]
