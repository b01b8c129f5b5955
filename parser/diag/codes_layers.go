package diag

// Codes of what the arguments of the layers mean.
const (
	CodeOrphanMissing      Code = "IDEM301" // lease mode without orphan=
	CodeOrphanRefused      Code = "IDEM302" // transaction mode with orphan=
	CodeLeaseRefused       Code = "IDEM303" // transaction mode with lease=
	CodeFireWithoutTx      Code = "IDEM304" // fire on a method that takes no transaction
	CodeLayers             Code = "IDEM305" // layers that make no sense together
	CodeArgumentNeedsOther Code = "IDEM306" // an argument that only works beside another, or in the other mode
	CodeFireArgMissing     Code = "IDEM320" // fire gives no value to a parameter of the event
	CodeFireArgUnknown     Code = "IDEM321" // args= names what the event does not take
	CodeFireArgType        Code = "IDEM322" // an argument of a type that the event does not take
)

func layerCodes() []Info {
	return []Info{
		{CodeOrphanMissing, "orphan= missing",
			"This method takes no transaction, so a process that dies inside it leaves the outcome unknown. Only you know what a retry shall do then: run the method again when the lease is over (orphan=rerun), or answer \"outcome unknown\" until somebody resolves it (orphan=hold).",
			"//idem:once key=orderID\nfunc (s *Service) NotifyBank(ctx context.Context, orderID string) error", "//idem:once key=orderID orphan=hold\nfunc (s *Service) NotifyBank(ctx context.Context, orderID string) error"},
		{CodeOrphanRefused, "orphan= in transaction mode",
			"The method takes a transaction: when its owner vanishes, the claim is rolled back with everything else, so there is no orphan to decide about.",
			"//idem:once key=orderID orphan=rerun\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeLeaseRefused, "lease= in transaction mode",
			"The method takes a transaction, and the claim lives as long as that: there is no lease.",
			"//idem:once key=orderID lease=30s\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeFireWithoutTx, "fire without a transaction",
			"The guarded update and the method must commit together, so the method takes the transaction as a parameter (or tx= says where it travels).",
			"//idem:fire Status.Pay key=orderID\nfunc (s *Service) Pay(ctx context.Context, orderID string) error", "//idem:fire Status.Pay key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeLayers, "layers make no sense together",
			"The directives on this declaration can't be stacked: request stands alone, since a handler has no error to answer for other layers with, and message takes the place of once.",
			"//idem:message key=msg.ID orphan=rerun\n//idem:once key=msg.ID orphan=rerun", "//idem:message key=msg.ID orphan=rerun"},
		{CodeArgumentNeedsOther, "argument has no effect here",
			"The argument only means something beside another argument, or in the other mode. It is refused so that nobody relies on it.",
			"//idem:once key=orderID lookup=Receipt\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error", "//idem:once key=orderID\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeFireArgMissing, "argument of the event missing",
			"The event takes a parameter that args= does not give and that no parameter of the method is called. Only the expected version may be left out: any version will do then.",
			"//idem:fire Status.Pay key=orderID", "//idem:fire Status.Pay key=orderID args=paidAt:req.At"},
		{CodeFireArgUnknown, "event takes no such argument",
			"args= names a parameter that neither the machine nor the event has.",
			"//idem:fire Status.Pay key=orderID args=paidat:req.At", "//idem:fire Status.Pay key=orderID args=paidAt:req.At"},
		{CodeFireArgType, "argument doesn't fit the event",
			"The expression has another type than the parameter of the event, and no conversion between them keeps every value.",
			"//idem:fire Status.Pay key=orderID args=tenant:req.TenantName", "//idem:fire Status.Pay key=orderID args=tenant:req.TenantID"},
	}
}
