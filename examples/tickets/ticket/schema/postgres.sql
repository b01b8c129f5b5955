-- DDL for generated guards. Made by idemgen; the next line tells idemgen what from.
-- idemgen:schema {"dialect":"postgres","tables":[{"name":["tickets"],"key":[{"name":"id","type":"text"}],"states":[{"machine":"Status","name":"status","type":"int","values":["10","20","30","35","50","60","70","99"],"initial":"10"}],"version":"version","others":[{"name":"tenant_id","type":"int"},{"name":"requester","type":"text"},{"name":"title","type":"text"},{"name":"amount","type":"int"},{"name":"updated_at","type":"time"},{"name":"decided_by","type":"text"},{"name":"decided_at","type":"time"},{"name":"payout","type":"int"},{"name":"last_comment","type":"text"}]}],"history":[{"name":["ticket_history"],"table":["tickets"],"key":"text","state":"int","width":2}]}
-- tickets has the columns that guards select by and write. Add your own, and those that a where= reads, or write ALTER TABLE instead where it exists.

CREATE TABLE "tickets" (
	"id" TEXT NOT NULL,
	"status" BIGINT NOT NULL DEFAULT 10,
	"version" BIGINT NOT NULL DEFAULT 0,
	"tenant_id" BIGINT NULL,
	"requester" TEXT NULL,
	"title" TEXT NULL,
	"amount" BIGINT NULL,
	"updated_at" TIMESTAMPTZ NULL,
	"decided_by" TEXT NULL,
	"decided_at" TIMESTAMPTZ NULL,
	"payout" BIGINT NULL,
	"last_comment" TEXT NULL,
	PRIMARY KEY ("id"),
	CONSTRAINT "tickets_status_states" CHECK ("status" IN (10, 20, 30, 35, 50, 60, 70, 99))
);

CREATE TABLE "ticket_history" (
	id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	row_key TEXT NOT NULL,
	from_state BIGINT NULL,
	to_state BIGINT NOT NULL,
	event TEXT NOT NULL,
	actor TEXT NULL,
	idem_key TEXT NULL,
	at_us BIGINT NOT NULL
);

CREATE INDEX "ticket_history_row" ON "ticket_history" (row_key, id);
