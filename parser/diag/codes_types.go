package diag

// Codes of signatures and types.
const (
	CodeNoErrorResult       Code = "IDEM201" // the last result is not error
	CodeResultNotRestorable Code = "IDEM202" // the codec can't bring the result back
	CodeKeyType             Code = "IDEM203" // float, context, (T, error) call, …
	CodeUnknownName         Code = "IDEM204" // an expression names no parameter, field or method
	CodeExpressionType      Code = "IDEM205" // an expression does not type-check, or has the wrong type
	CodeTypeUnresolved      Code = "IDEM206" // a type of the signature can't be resolved
	CodeTypeNotNameable     Code = "IDEM207" // unexported or internal type in another package
	CodeTxAmbiguous         Code = "IDEM208" // several parameters may be the transaction
	CodeTxUnknown           Code = "IDEM209" // tx= names no parameter, or none that can be one
	CodeCtxUnknown          Code = "IDEM210" // ctx= names no context
	CodeLookupUnknown       Code = "IDEM211" // lookup= names no method
	CodeLookupSignature     Code = "IDEM212" // lookup method has other parameters or results
	CodeCodec               Code = "IDEM213" // codec= is no package-level idem.Codec
	CodeErrorUnknown        Code = "IDEM214" // errors= names no error variable
	CodeMatchUnknown        Code = "IDEM215" // match= names no parameter
	CodeMatchType           Code = "IDEM216" // match= names a parameter that has no fingerprint
	CodeReceiver            Code = "IDEM217" // the receiver's type can't be wrapped
	CodeSignature           Code = "IDEM218" // any other signature that can't be guarded
	CodeScopeType           Code = "IDEM219" // scope= is not a string
)

func typeCodes() []Info {
	return []Info{
		{CodeNoErrorResult, "no error result",
			"A guarded call can end in ways that the method knows nothing of: in progress, key reused, store unavailable. It needs an error as its last result to say so.",
			"//idem:once key=orderID orphan=hold\nfunc (s *Service) Pay(ctx context.Context, orderID string)", "//idem:once key=orderID orphan=hold\nfunc (s *Service) Pay(ctx context.Context, orderID string) error"},
		{CodeResultNotRestorable, "result can't be restored",
			"A duplicate gets the stored result. The codec can't bring this one back as it was: interfaces, channels, functions and unexported fields are lost. Return a plain struct, name a codec=, or store no result with result=none.",
			"//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) (io.Reader, error)", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) (*Receipt, error)"},
		{CodeKeyType, "type not allowed in a key",
			"A key part is a string, bytes, an integer, a bool, an array of bytes, a TextMarshaler, or a Stringer by an explicit call. Floats have several spellings for one value, contexts have no value, and a call that can fail can't be part of a key.",
			"//idem:once key=req.Amount\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, req struct{ Amount float64; OrderID string }) error", "//idem:once key=req.OrderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, req struct{ Amount float64; OrderID string }) error"},
		{CodeUnknownName, "unknown name",
			"The expression may use the receiver, the parameters, their fields and methods, and names of the package.",
			"//idem:once key=orderId orphan=hold\nfunc (s *Service) Pay(ctx context.Context, orderID string) error", "//idem:once key=orderID orphan=hold\nfunc (s *Service) Pay(ctx context.Context, orderID string) error"},
		{CodeExpressionType, "expression has the wrong type",
			"The expression does not type-check, or its type does not fit the argument.",
			"//idem:once key=req.ID()", "//idem:once key=req.ID"},
		{CodeTypeUnresolved, "type can't be resolved",
			"A type that the signature or the expression needs was not found: a missing import, a typing error, or a package that does not load.",
			"//idem:once key=id orphan=hold\nfunc (s *Service) Pay(ctx contxt.Context, id string) error", "//idem:once key=id orphan=hold\nfunc (s *Service) Pay(ctx context.Context, id string) error"},
		{CodeTypeNotNameable, "type can't be named",
			"The generated code must write this type, and it can't: it is unexported in another package, or that package is internal to another tree. Export it or give it an alias in a package that may be imported.",
			"//idem:fire order.status.Pay key=id", "//idem:fire order.Status.Pay key=id"},
		{CodeTxAmbiguous, "several transactions",
			"More than one parameter may be the transaction. Say which with tx=.",
			"//idem:once key=id\nfunc Move(ctx context.Context, from, to *sql.Tx, id string) error", "//idem:once key=id tx=from\nfunc Move(ctx context.Context, from, to *sql.Tx, id string) error"},
		{CodeTxUnknown, "tx= names no transaction",
			"tx= names the parameter that is the transaction, or the context parameter when the transaction travels in it.",
			"//idem:once key=id tx=transaction\nfunc Pay(ctx context.Context, tx *sql.Tx, id string) error", "//idem:once key=id tx=tx\nfunc Pay(ctx context.Context, tx *sql.Tx, id string) error"},
		{CodeCtxUnknown, "ctx= names no context",
			"ctx= names the parameter or the expression over the receiver that holds the context.",
			"//idem:once key=id ctx=s.db", "//idem:once key=id ctx=s.ctx"},
		{CodeLookupUnknown, "lookup= names no method",
			"lookup= names a method of the same type that finds the result again.",
			"//idem:once key=orderID lookup=Reciept", "//idem:once key=orderID lookup=Receipt"},
		{CodeLookupSignature, "lookup method doesn't fit",
			"The lookup method must have the results of the guarded method, and each of its parameters must be the context, the transaction, a parameter of the guarded method by name and type, or a key part.",
			"//idem:once key=orderID orphan=hold lookup=Receipt\nfunc (s *Service) Pay(orderID string) (*Receipt, error)\nfunc (s *Service) Receipt(ctx context.Context) (string, error)", "//idem:once key=orderID orphan=hold lookup=Receipt\nfunc (s *Service) Pay(orderID string) (*Receipt, error)\nfunc (s *Service) Receipt(ctx context.Context, orderID string) (*Receipt, error)"},
		{CodeCodec, "codec= is no codec",
			"codec= names a package-level value that implements idem.Codec.",
			"//idem:once key=orderID codec=newCodec()", "//idem:once key=orderID codec=receiptCodec"},
		{CodeErrorUnknown, "errors= names no error",
			"errors= names package-level error variables, each with what it means: release, store or unknown.",
			"//idem:once key=orderID errors=store:ErrSold", "//idem:once key=orderID errors=store:ErrSoldOut"},
		{CodeMatchUnknown, "match= names no parameter",
			"match= lists the parameters that the fingerprint covers.",
			"//idem:once key=orderID match=amout", "//idem:once key=orderID match=amount"},
		{CodeMatchType, "parameter has no fingerprint",
			"Contexts, transactions, functions and channels have no value that two calls could share, so the fingerprint can't cover them.",
			"//idem:once key=orderID match=ctx", "//idem:once key=orderID match=amount"},
		{CodeReceiver, "type can't be wrapped",
			"Methods are guarded on structs and interfaces, which a wrapper can embed.",
			"type Pay func()\n\n//idem:once key=id orphan=hold\nfunc (p Pay) Do(id string) error", "type Payer struct{}\n\n//idem:once key=id orphan=hold\nfunc (p *Payer) Do(id string) error"},
		{CodeSignature, "signature can't be guarded",
			"The message says what stands in the way.",
			"", ""},
		{CodeScopeType, "scope= is not a string",
			"The scope is the tenant or caller that a key belongs to: an expression whose underlying type is string.",
			"//idem:once key=orderID scope=tenant\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, tenant *Tenant, orderID string) error", "//idem:once key=orderID scope=tenant.ID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, tenant *Tenant, orderID string) error"},
	}
}
