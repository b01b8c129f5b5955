-- sqlite
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"sqlite","tables":[{"name":["jobs"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"state","type":"int","values":["-1","0","7"],"initial":"-1"}]}]}
-- jobs has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `jobs` (
	`id` TEXT NOT NULL,
	`state` INTEGER NOT NULL DEFAULT -1,
	PRIMARY KEY (`id`)
);

CREATE TRIGGER `jobs_state_states_insert` BEFORE INSERT ON `jobs` WHEN NOT (NEW.`state` IN (-1, 0, 7))
BEGIN SELECT RAISE(ABORT, 'jobs.state is no state of Status'); END;

CREATE TRIGGER `jobs_state_states_update` BEFORE UPDATE OF `state` ON `jobs` WHEN NOT (NEW.`state` IN (-1, 0, 7))
BEGIN SELECT RAISE(ABORT, 'jobs.state is no state of Status'); END;

-- postgres
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["jobs"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"state","type":"int","values":["-1","0","7"],"initial":"-1"}]}]}
-- jobs has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE "jobs" (
	"id" TEXT NOT NULL,
	"state" BIGINT NOT NULL DEFAULT -1,
	PRIMARY KEY ("id"),
	CONSTRAINT "jobs_state_states" CHECK ("state" IN (-1, 0, 7))
);

-- mysql
-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"mysql","tables":[{"name":["jobs"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"state","type":"int","values":["-1","0","7"],"initial":"-1"}]}]}
-- jobs has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE `jobs` (
	`id` VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
	`state` BIGINT NOT NULL DEFAULT -1,
	PRIMARY KEY (`id`),
	CONSTRAINT `jobs_state_states` CHECK (`state` IN (-1, 0, 7))
);

