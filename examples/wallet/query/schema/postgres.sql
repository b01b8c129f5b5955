CREATE TABLE IF NOT EXISTS accounts (
	id      text   NOT NULL PRIMARY KEY,
	holder  text   NOT NULL,
	balance bigint NOT NULL,
	floor   bigint NOT NULL,
	version bigint NOT NULL
);

CREATE TABLE IF NOT EXISTS entries (
	seq     bigserial PRIMARY KEY,
	call_id text   NOT NULL,
	account text   NOT NULL,
	amount  bigint NOT NULL
);
