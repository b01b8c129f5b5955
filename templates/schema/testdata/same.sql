-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["DONE","NEW"],"initial":"DONE"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]},{"name":["zeta"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"s","type":"text","values":["x"],"initial":"x"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}
-- The default of shop.order.group stays 'NEW': SQLite can't change it. Generated guards write the initial state themselves.
-- zeta has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `zeta` (
	`id` TEXT NOT NULL,
	`s` TEXT NOT NULL DEFAULT 'x',
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `zeta_s_states_insert` BEFORE INSERT ON `zeta` WHEN NOT (NEW.`s` IN ('x'))
BEGIN SELECT RAISE(ABORT, 'zeta.s is no state of Status'); END;

CREATE TRIGGER `zeta_s_states_update` BEFORE UPDATE OF `s` ON `zeta` WHEN NOT (NEW.`s` IN ('x'))
BEGIN SELECT RAISE(ABORT, 'zeta.s is no state of Status'); END;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["DONE","NEW"],"initial":"DONE"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]},{"name":["zeta"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"s","type":"text","values":["x"],"initial":"x"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}
-- zeta has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

ALTER TABLE "shop"."order" ALTER COLUMN "group" SET DEFAULT 'DONE';

CREATE TABLE "zeta" (
	"id" TEXT NOT NULL,
	"s" TEXT NOT NULL DEFAULT 'x',
	PRIMARY KEY ("id"),
	CONSTRAINT "zeta_s_states" CHECK ("s" IN ('x'))
);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"int"}],"states":[{"machine":"Status","name":"group","type":"text","values":["DONE","NEW"],"initial":"DONE"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]},{"name":["zeta"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"s","type":"text","values":["x"],"initial":"x"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"int","state":"text","width":4}]}
-- zeta has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

ALTER TABLE `shop`.`order` ALTER COLUMN `group` SET DEFAULT 'DONE';

CREATE TABLE `zeta` (
	`id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`s` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'x',
	PRIMARY KEY (`id`),
	CONSTRAINT `zeta_s_states` CHECK (CAST(`s` AS BINARY) IN ('x'))
);

