-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["tickets"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"int","values":["10","20","30","35","50","60","70","99"],"initial":"10"}],"version":"version","others":[{"name":"tenant_id","type":"int"},{"name":"requester","type":"text"},{"name":"title","type":"text"},{"name":"amount","type":"int"},{"name":"updated_at","type":"time"},{"name":"decided_by","type":"text"},{"name":"decided_at","type":"time"},{"name":"payout","type":"int"},{"name":"last_comment","type":"text"}]}],"history":[{"name":["ticket_history"],"table":["tickets"],"key":"text","state":"int","width":2}]}
-- tickets has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `tickets` (
	`id` TEXT NOT NULL,
	`status` INTEGER NOT NULL DEFAULT 10,
	`version` INTEGER NOT NULL DEFAULT 0,
	`tenant_id` INTEGER NULL,
	`requester` TEXT NULL,
	`title` TEXT NULL,
	`amount` INTEGER NULL,
	`updated_at` TIMESTAMP NULL,
	`decided_by` TEXT NULL,
	`decided_at` TIMESTAMP NULL,
	`payout` INTEGER NULL,
	`last_comment` TEXT NULL,
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `tickets_status_states_insert` BEFORE INSERT ON `tickets` WHEN NOT (NEW.`status` IN (10, 20, 30, 35, 50, 60, 70, 99))
BEGIN SELECT RAISE(ABORT, 'tickets.status is no state of Status'); END;

CREATE TRIGGER `tickets_status_states_update` BEFORE UPDATE OF `status` ON `tickets` WHEN NOT (NEW.`status` IN (10, 20, 30, 35, 50, 60, 70, 99))
BEGIN SELECT RAISE(ABORT, 'tickets.status is no state of Status'); END;

CREATE TABLE `ticket_history` (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	row_key TEXT NOT NULL,
	from_state INTEGER NULL,
	to_state INTEGER NOT NULL,
	event TEXT NOT NULL,
	actor TEXT NULL,
	idem_key TEXT NULL,
	at_us INTEGER NOT NULL
);

CREATE INDEX `ticket_history_row` ON `ticket_history` (row_key, id);
