-- name: OpenAccount :exec
INSERT INTO accounts (id, holder, balance, floor, version) VALUES ($1, $2, $3, $4, 0);

-- name: GetAccount :one
SELECT id, holder, balance, floor, version FROM accounts WHERE id = $1;

-- name: ListAccounts :many
SELECT id, holder, balance, floor, version FROM accounts ORDER BY id;

-- name: AddEntry :exec
INSERT INTO entries (call_id, account, amount) VALUES ($1, $2, $3);
