-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["CREATED","PAID","it's","back\\slash","支付"],"initial":"CREATED"}]}]}
-- orders has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `orders` (
	`id` TEXT NOT NULL,
	`status` TEXT NOT NULL DEFAULT 'CREATED',
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `orders_status_states_insert` BEFORE INSERT ON `orders` WHEN NOT (NEW.`status` IN ('CREATED', 'PAID', 'it''s', 'back\slash', '支付'))
BEGIN SELECT RAISE(ABORT, 'orders.status is no state of Status'); END;

CREATE TRIGGER `orders_status_states_update` BEFORE UPDATE OF `status` ON `orders` WHEN NOT (NEW.`status` IN ('CREATED', 'PAID', 'it''s', 'back\slash', '支付'))
BEGIN SELECT RAISE(ABORT, 'orders.status is no state of Status'); END;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["CREATED","PAID","it's","back\\slash","支付"],"initial":"CREATED"}]}]}
-- orders has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE "orders" (
	"id" TEXT NOT NULL,
	"status" TEXT NOT NULL DEFAULT 'CREATED',
	PRIMARY KEY ("id"),
	CONSTRAINT "orders_status_states" CHECK ("status" IN ('CREATED', 'PAID', 'it''s', E'back\\slash', '支付'))
);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["CREATED","PAID","it's","back\\slash","支付"],"initial":"CREATED"}]}]}
-- orders has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `orders` (
	`id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`status` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'CREATED',
	PRIMARY KEY (`id`),
	CONSTRAINT `orders_status_states` CHECK (CAST(`status` AS BINARY) IN ('CREATED', 'PAID', 'it''s', X'6261636B5C736C617368', '支付'))
);

