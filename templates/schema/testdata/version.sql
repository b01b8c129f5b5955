-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["accounts"],"key":[{"name":"tenant_id","type":"int"},{"name":"id","type":"uuid"}],"version":"version","others":[{"name":"status","type":"text"},{"name":"paid_at","type":"time"},{"name":"blob","type":"bytes"}]}]}
-- accounts has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `accounts` (
	`tenant_id` INTEGER NOT NULL,
	`id` TEXT NOT NULL,
	`version` INTEGER NOT NULL DEFAULT 0,
	`status` TEXT NULL,
	`paid_at` TIMESTAMP NULL,
	`blob` BLOB NULL,
	PRIMARY KEY (`tenant_id`, `id`)
);

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["accounts"],"key":[{"name":"tenant_id","type":"int"},{"name":"id","type":"uuid"}],"version":"version","others":[{"name":"status","type":"text"},{"name":"paid_at","type":"time"},{"name":"blob","type":"bytes"}]}]}
-- accounts has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE "accounts" (
	"tenant_id" BIGINT NOT NULL,
	"id" UUID NOT NULL,
	"version" BIGINT NOT NULL DEFAULT 0,
	"status" TEXT NULL,
	"paid_at" TIMESTAMPTZ NULL,
	"blob" BYTEA NULL,
	PRIMARY KEY ("tenant_id", "id")
);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["accounts"],"key":[{"name":"tenant_id","type":"int"},{"name":"id","type":"uuid"}],"version":"version","others":[{"name":"status","type":"text"},{"name":"paid_at","type":"time"},{"name":"blob","type":"bytes"}]}]}
-- accounts has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `accounts` (
	`tenant_id` BIGINT NOT NULL,
	`id` CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	`version` BIGINT NOT NULL DEFAULT 0,
	`status` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	`paid_at` DATETIME(6) NULL,
	`blob` VARBINARY(255) NULL,
	PRIMARY KEY (`tenant_id`, `id`)
);

