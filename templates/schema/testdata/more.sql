-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"text","state":"text","width":4}]}

ALTER TABLE `shop`.`order` ADD COLUMN `version` INTEGER NOT NULL DEFAULT 0;

ALTER TABLE `shop`.`order` ADD COLUMN `fence` INTEGER NULL;

CREATE TABLE `shop`.`order_history` (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	row_key TEXT NOT NULL,
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
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"text","state":"text","width":4}]}

ALTER TABLE "shop"."order" ADD COLUMN "version" BIGINT NOT NULL DEFAULT 0;

ALTER TABLE "shop"."order" ADD COLUMN "fence" BIGINT NULL;

CREATE TABLE "shop"."order_history" (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	row_key TEXT NOT NULL,
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
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["shop","order"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"group","type":"text","values":["NEW","DONE"],"initial":"NEW"}],"version":"version","fence":"fence","others":[{"name":"tenant_id","type":"int"},{"name":"paid_at","type":"time"}]}],"history":[{"name":["shop","order_history"],"table":["shop","order"],"key":"text","state":"text","width":4}]}

ALTER TABLE `shop`.`order` ADD COLUMN `version` BIGINT NOT NULL DEFAULT 0;

ALTER TABLE `shop`.`order` ADD COLUMN `fence` BIGINT NULL;

CREATE TABLE `shop`.`order_history` (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	row_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	from_state VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	to_state VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	event VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	actor VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	idem_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	at_us BIGINT NOT NULL,
	KEY `order_history_row` (row_key, id)
);

