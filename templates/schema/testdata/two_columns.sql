-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["A","B"],"initial":"A"},{"machine":"Delivery","name":"delivery","type":"text","values":["X","Y"],"initial":"X"}]}]}
-- orders has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `orders` (
	`id` TEXT NOT NULL,
	`status` TEXT NOT NULL DEFAULT 'A',
	`delivery` TEXT NOT NULL DEFAULT 'X',
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `orders_status_states_insert` BEFORE INSERT ON `orders` WHEN NOT (NEW.`status` IN ('A', 'B'))
BEGIN SELECT RAISE(ABORT, 'orders.status is no state of Status'); END;

CREATE TRIGGER `orders_status_states_update` BEFORE UPDATE OF `status` ON `orders` WHEN NOT (NEW.`status` IN ('A', 'B'))
BEGIN SELECT RAISE(ABORT, 'orders.status is no state of Status'); END;

CREATE TRIGGER `orders_delivery_states_insert` BEFORE INSERT ON `orders` WHEN NOT (NEW.`delivery` IN ('X', 'Y'))
BEGIN SELECT RAISE(ABORT, 'orders.delivery is no state of Delivery'); END;

CREATE TRIGGER `orders_delivery_states_update` BEFORE UPDATE OF `delivery` ON `orders` WHEN NOT (NEW.`delivery` IN ('X', 'Y'))
BEGIN SELECT RAISE(ABORT, 'orders.delivery is no state of Delivery'); END;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["A","B"],"initial":"A"},{"machine":"Delivery","name":"delivery","type":"text","values":["X","Y"],"initial":"X"}]}]}
-- orders has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE "orders" (
	"id" TEXT NOT NULL,
	"status" TEXT NOT NULL DEFAULT 'A',
	"delivery" TEXT NOT NULL DEFAULT 'X',
	PRIMARY KEY ("id"),
	CONSTRAINT "orders_status_states" CHECK ("status" IN ('A', 'B')),
	CONSTRAINT "orders_delivery_states" CHECK ("delivery" IN ('X', 'Y'))
);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["orders"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"text","values":["A","B"],"initial":"A"},{"machine":"Delivery","name":"delivery","type":"text","values":["X","Y"],"initial":"X"}]}]}
-- orders has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `orders` (
	`id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`status` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'A',
	`delivery` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'X',
	PRIMARY KEY (`id`),
	CONSTRAINT `orders_status_states` CHECK (CAST(`status` AS BINARY) IN ('A', 'B')),
	CONSTRAINT `orders_delivery_states` CHECK (CAST(`delivery` AS BINARY) IN ('X', 'Y'))
);

