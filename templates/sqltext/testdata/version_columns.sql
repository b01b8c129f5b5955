-- sqlite
UPDATE `accounts` SET `status` = ?, `paid_at` = ?, `version` = `version` + 1 WHERE `id` = ? AND `version` = ?;
SELECT `version` FROM `accounts` WHERE `id` = ?;
-- postgres
UPDATE "accounts" SET "status" = $1, "paid_at" = $2, "version" = "version" + 1 WHERE "id" = $3 AND "version" = $4;
SELECT "version" FROM "accounts" WHERE "id" = $1;
-- mysql
UPDATE `accounts` SET `status` = ?, `paid_at` = ?, `version` = `version` + 1 WHERE `id` = ? AND `version` = ?;
SELECT `version` FROM `accounts` WHERE `id` = ? FOR UPDATE;
-- arguments
-- [2 3 1 0]
-- [1]
