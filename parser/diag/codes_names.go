package diag

// Codes of names and collisions.
const (
	CodeNameCollision      Code = "IDEM501" // a generated name is taken, or two are the same
	CodeDuplicateOperation Code = "IDEM502" // two methods with one operation name
	CodeDuplicateMachine   Code = "IDEM503" // two machines with one name
	CodeOperationName      Code = "IDEM504" // op= is not a usable name
	CodeNotIdentifier      Code = "IDEM505" // an event or machine name that is no Go identifier
)

func nameCodes() []Info {
	return []Info{
		{CodeNameCollision, "name is taken",
			"The generated code would declare a name that the package or the type already has, or declare one name twice.",
			"//idem:once key=id orphan=hold\nfunc (s *Service) Pay(id string) error\n\ntype IdempotentService struct{}", "//idem:once key=id orphan=hold\nfunc (s *Service) Pay(id string) error\n\ntype GuardedService struct{}"},
		{CodeDuplicateOperation, "operation given twice",
			"The operation is part of the storage key: two methods with one operation would answer each other's duplicates.",
			"//idem:once key=orderID op=pay\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error\n//idem:once key=orderID op=pay\nfunc (s *Service) Refund(ctx context.Context, tx *sql.Tx, orderID string) error", "//idem:once key=orderID op=pay\nfunc (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string) error\n//idem:once key=orderID op=refund\nfunc (s *Service) Refund(ctx context.Context, tx *sql.Tx, orderID string) error"},
		{CodeDuplicateMachine, "state machine given twice",
			"Two state machines of one package have the same name. Name one of them with name=.",
			"//idem:statemachine name=Status table=orders key=id column=status initial=Created final=Paid\n//idem:transition Pay Created -> Paid\ntype OrderStatus string\n\n//idem:statemachine name=Status table=parcels key=id column=status initial=Packed final=Sent\n//idem:transition Send Packed -> Sent\ntype ParcelStatus string", "//idem:statemachine table=orders key=id column=status initial=Created final=Paid\n//idem:transition Pay Created -> Paid\ntype OrderStatus string\n\n//idem:statemachine table=parcels key=id column=status initial=Packed final=Sent\n//idem:transition Send Packed -> Sent\ntype ParcelStatus string"},
		{CodeOperationName, "not an operation name",
			"An operation is stored beside every key: visible ASCII without spaces, at most 200 bytes.",
			"//idem:once key=orderID op=\"pay order\"", "//idem:once key=orderID op=pay-order"},
		{CodeNotIdentifier, "not a Go identifier",
			"The name becomes part of generated Go names, so it must be a Go identifier.",
			"//idem:transition pay-now Created -> Paid", "//idem:transition PayNow Created -> Paid"},
	}
}
