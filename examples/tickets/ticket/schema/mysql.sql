-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["tickets"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"int","values":["10","20","30","35","50","60","70","99"],"initial":"10"}],"version":"version","others":[{"name":"tenant_id","type":"int"},{"name":"requester","type":"text"},{"name":"title","type":"text"},{"name":"amount","type":"int"},{"name":"updated_at","type":"time"},{"name":"decided_by","type":"text"},{"name":"decided_at","type":"time"},{"name":"payout","type":"int"},{"name":"last_comment","type":"text"}]}],"history":[{"name":["ticket_history"],"table":["tickets"],"key":"text","state":"int","width":2}]}
-- tickets has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `tickets` (
	`id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`status` BIGINT NOT NULL DEFAULT 10,
	`version` BIGINT NOT NULL DEFAULT 0,
	`tenant_id` BIGINT NULL,
	`requester` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	`title` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	`amount` BIGINT NULL,
	`updated_at` DATETIME(6) NULL,
	`decided_by` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	`decided_at` DATETIME(6) NULL,
	`payout` BIGINT NULL,
	`last_comment` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	PRIMARY KEY (`id`),
	CONSTRAINT `tickets_status_states` CHECK (`status` IN (10, 20, 30, 35, 50, 60, 70, 99))
);

CREATE TABLE `ticket_history` (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	row_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	from_state BIGINT NULL,
	to_state BIGINT NOT NULL,
	event VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	actor VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	idem_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
	at_us BIGINT NOT NULL,
	KEY `ticket_history_row` (row_key, id)
);
