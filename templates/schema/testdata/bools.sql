-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["mails"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"sent","type":"bool","values":["false","true"],"initial":"false"}]}]}
-- mails has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `mails` (
	`id` TEXT NOT NULL,
	`sent` BOOLEAN NOT NULL DEFAULT 0,
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `mails_sent_states_insert` BEFORE INSERT ON `mails` WHEN NOT (NEW.`sent` IN (0, 1))
BEGIN SELECT RAISE(ABORT, 'mails.sent is no state of Status'); END;

CREATE TRIGGER `mails_sent_states_update` BEFORE UPDATE OF `sent` ON `mails` WHEN NOT (NEW.`sent` IN (0, 1))
BEGIN SELECT RAISE(ABORT, 'mails.sent is no state of Status'); END;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["mails"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"sent","type":"bool","values":["false","true"],"initial":"false"}]}]}
-- mails has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE "mails" (
	"id" TEXT NOT NULL,
	"sent" BOOLEAN NOT NULL DEFAULT FALSE,
	PRIMARY KEY ("id"),
	CONSTRAINT "mails_sent_states" CHECK ("sent" IN (FALSE, TRUE))
);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["mails"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"sent","type":"bool","values":["false","true"],"initial":"false"}]}]}
-- mails has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `mails` (
	`id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`sent` BOOLEAN NOT NULL DEFAULT 0,
	PRIMARY KEY (`id`),
	CONSTRAINT `mails_sent_states` CHECK (`sent` IN (0, 1))
);

