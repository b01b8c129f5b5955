-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}
-- shop.order has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `shop`.`order` (
	`id` INTEGER NOT NULL,
	`group` TEXT NOT NULL DEFAULT 'NEW',
	`version` INTEGER NOT NULL DEFAULT 0,
	`fence` INTEGER NULL,
	`tenant_id` INTEGER NULL,
	`paid_at` TIMESTAMP NULL,
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `shop`.`order_group_states_insert` BEFORE INSERT ON `order` WHEN NOT (NEW.`group` IN ('NEW', 'DONE'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

CREATE TRIGGER `shop`.`order_group_states_update` BEFORE UPDATE OF `group` ON `order` WHEN NOT (NEW.`group` IN ('NEW', 'DONE'))
BEGIN SELECT RAISE(ABORT, 'shop.order.group is no state of Status'); END;

CREATE TABLE `shop`.`order_history` (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	row_key INTEGER NOT NULL,
	from_state TEXT NULL,
	to_state TEXT NOT NULL,
	event TEXT NOT NULL,
	actor TEXT NULL,
	idem_key TEXT NULL,
	at_us INTEGER NOT NULL
);

CREATE INDEX `shop`.`order_history_row` ON `order_history` (row_key, id);

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}
-- shop.order has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TYPE "shop"."order_group" AS ENUM ('NEW', 'DONE');

CREATE TABLE "shop"."order" (
	"id" BIGINT NOT NULL,
	"group" "shop"."order_group" NOT NULL DEFAULT 'NEW',
	"version" BIGINT NOT NULL DEFAULT 0,
	"fence" BIGINT NULL,
	"tenant_id" BIGINT NULL,
	"paid_at" TIMESTAMPTZ NULL,
	PRIMARY KEY ("id")
);

CREATE TABLE "shop"."order_history" (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	row_key BIGINT NOT NULL,
	from_state TEXT NULL,
	to_state TEXT NOT NULL,
	event TEXT NOT NULL,
	actor TEXT NULL,
	idem_key TEXT NULL,
	at_us BIGINT NOT NULL
);

CREATE INDEX "order_history_row" ON "shop"."order_history" (row_key, id);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","enum":true,"tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}
-- shop.order has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `shop`.`order` (
	`id` BIGINT NOT NULL,
	`group` ENUM('NEW', 'DONE') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'NEW',
	`version` BIGINT NOT NULL DEFAULT 0,
	`fence` BIGINT NULL,
	`tenant_id` BIGINT NULL,
	`paid_at` DATETIME(6) NULL,
	PRIMARY KEY (`id`)
);

CREATE TABLE `shop`.`order_history` (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	row_key BIGINT NOT NULL,
	from_state VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	to_state VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	event VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	actor VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	idem_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	at_us BIGINT NOT NULL,
	KEY `order_history_row` (row_key, id)
);

