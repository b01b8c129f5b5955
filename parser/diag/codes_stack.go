package diag

// Codes of the layers around once and fire: token, lock, unique, request, message.
const (
	CodeHeaderName      Code = "IDEM330" // header= is no name of a header, or of a reserved one
	CodeStringExpr      Code = "IDEM331" // token=, bind= or principal= is no string that depends on the call
	CodeTokenNoContext  Code = "IDEM332" // a token in a header, and no context that leads to it
	CodeTokenTimes      Code = "IDEM333" // lease= or keep= of a token is shorter than what stands inside
	CodeCheckUnknown    Code = "IDEM334" // check= names no method
	CodeCheckSignature  Code = "IDEM335" // the check method's signature does not fit
	CodeUniqueIndex     Code = "IDEM336" // index= can't be read
	CodeUniqueLookup    Code = "IDEM337" // lookup= of unique can't say that it found nothing
	CodeHandler         Code = "IDEM338" // request on what is no HTTP handler
	CodeHTTPMethod      Code = "IDEM339" // methods= names no method that is guarded
	CodeMessageResult   Code = "IDEM340" // message on a method with results beside its error
	CodeNoDatabaseLayer Code = "IDEM341" // warning: nothing in a database behind a token or lock
	CodeAloneNeedless   Code = "IDEM342" // alone beside a database layer
	CodeLookupTx        Code = "IDEM343" // look-up of a transaction's method that takes no transaction
)

func stackCodes() []Info {
	return []Info{
		{CodeHeaderName, "not a header for a key",
			"header= is the name of an HTTP header: letters, digits and a few signs. Headers that already mean something (Authorization, Cookie, Content-Type, and Idempotency-Replayed, which marks replays) can't carry it. headers= names headers of the response; cookies, credentials and those of one connection are never stored.",
			"//idem:request header=\"Idempotency Key\"", "//idem:request header=Idempotency-Key"},
		{CodeStringExpr, "not a string of the call",
			"token=, bind= and principal= are Go expressions whose underlying type is string, over the receiver and the parameters (of a handler: the request), that can't panic and are not the same for every call.",
			"//idem:token bind=req.Session alone\nfunc (s *Service) Pay(ctx context.Context, req struct{ Session *Session }) error", "//idem:token bind=req.Session.ID alone\nfunc (s *Service) Pay(ctx context.Context, req struct{ Session *Session }) error"},
		{CodeTokenNoContext, "no context for the token's header",
			"The header of a request travels in the context. A method without one takes the token as an argument.",
			"//idem:token\nfunc (s *Service) Pay(orderID, token string) error", "//idem:token token=token\nfunc (s *Service) Pay(orderID, token string) error"},
		{CodeTokenTimes, "time of the token too short",
			"Nothing renews the consumption of a token: its lease must outlast the waits of the layers inside, or a second caller takes the token over while the first still waits. And a used token is remembered at least as long as the record of the call, or a repetition would be told that its token is unknown and not get its result.",
			"//idem:token keep=1h\n//idem:once key=orderID ttl=24h", "//idem:token keep=24h\n//idem:once key=orderID ttl=24h"},
		{CodeCheckUnknown, "check= names no method",
			"check= names a method of the same type that tells whether the work is done already.",
			"//idem:lock key=orderID check=Relesed", "//idem:lock key=orderID check=Released"},
		{CodeCheckSignature, "check method doesn't fit",
			"The check method returns the results of the guarded method, a bool that tells whether it found them, and an error. Each of its parameters must be the context, a parameter of the guarded method by name and type, or a part of the key; the transaction has not begun when it is asked.",
			"//idem:lock key=orderID check=Released alone\nfunc (s *Service) Release(orderID string) (*Stock, error)\nfunc (s *Service) Released(orderID string) (*Stock, error)", "//idem:lock key=orderID check=Released alone\nfunc (s *Service) Release(orderID string) (*Stock, error)\nfunc (s *Service) Released(orderID string) (*Stock, bool, error)"},
		{CodeUniqueIndex, "index= can't be read",
			"index= is the name of the unique index or constraint as the database reports it. SQLite reports columns in its place; they follow in parentheses, in the order of the index, each with its table.",
			"//idem:unique index=uq_orders_no(shop,no) lookup=ByNo", "//idem:unique index=uq_orders_no(orders.shop,orders.no) lookup=ByNo"},
		{CodeUniqueLookup, "look-up can't say that it found nothing",
			"Where the row of a duplicate is not to be found, the method's own error stands. So the look-up returns an error, or one result that may be nil.",
			"//idem:unique index=uq_orders_no lookup=ByNo\nfunc (s *Service) Create(no string) (int64, error)\nfunc (s *Service) ByNo(no string) int64", "//idem:unique index=uq_orders_no lookup=ByNo\nfunc (s *Service) Create(no string) (int64, error)\nfunc (s *Service) ByNo(no string) (int64, error)"},
		{CodeHandler, "not an HTTP handler",
			"request guards methods and functions of exactly func(http.ResponseWriter, *http.Request), which have no result.",
			"//idem:request\nfunc (h *Handler) Pay(w http.ResponseWriter, r *http.Request) error", "//idem:request\nfunc (h *Handler) Pay(w http.ResponseWriter, r *http.Request)"},
		{CodeHTTPMethod, "not an HTTP method to guard",
			"methods= lists the HTTP methods that are guarded, in capitals. GET, HEAD, OPTIONS, TRACE and CONNECT change nothing and always pass through.",
			"//idem:request methods=GET,POST", "//idem:request methods=POST"},
		{CodeMessageResult, "consumer method with results",
			"A redelivered message gets no stored result, only an answer whether it was handled: the method returns an error alone.",
			"//idem:message key=msg.ID orphan=rerun\nfunc (c *Consumer) Handle(ctx context.Context, msg Msg) (int, error)", "//idem:message key=msg.ID orphan=rerun\nfunc (c *Consumer) Handle(ctx context.Context, msg Msg) error"},
		{CodeNoDatabaseLayer, "no database layer behind it",
			"A warning. The store of a token or a lock can lose what it acknowledged (failover, eviction), and a lock can lapse while its holder still works: alone they save work and guarantee nothing. A transaction with once, fire, or a unique index inside stops what comes through. Write alone where that is not needed.",
			"//idem:lock key=orderID\nfunc (s *Service) Pay(ctx context.Context, orderID string) error", "//idem:lock key=orderID\n//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeAloneNeedless, "alone where it is not alone",
			"A database layer stands behind the token or lock, so there is no warning to switch off. The word is refused, so that it can't switch one off later, when that layer is gone.",
			"//idem:lock key=orderID alone\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error", "//idem:lock key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeLookupTx, "look-up outside the transaction",
			"The look-up of a method in transaction mode runs in that transaction, or in a caller's. On a connection of its own it would not see what the transaction wrote, and with a pool of one connection it would wait for itself for ever. It takes the transaction, or an interface that the transaction implements (sqlc's DBTX); one that needs no database names it _.",
			"//idem:once key=orderID lookup=Receipt\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error)\nfunc (s *Service) Receipt(ctx context.Context, orderID string) (*Receipt, error)", "//idem:once key=orderID lookup=Receipt\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error)\nfunc (s *Service) Receipt(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error)"},
	}
}
