package reference

// examples has one declaration per directive, as a reader would write it.
var examples = map[string]string{
	"once": `// Pay takes the money of an order.
//
//idem:once key=req.BizNo ttl=72h
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, req *PayRequest) (*Receipt, error)

// Notify tells the bank; nobody can take that back, so a person decides when its outcome is unknown.
//
//idem:once key=orderID orphan=hold lease=10s
func (s *Service) Notify(ctx context.Context, orderID string) error`,
	"statemachine": `// Status is where an order stands.
//
//idem:statemachine table=orders key=id column=status initial=Created final=Paid,Cancelled history=order_history
//idem:transition Pay Created -> Paid set="paid_at = :at" params=at:time.Time
//idem:transition Cancel Created -> Cancelled
type Status string`,
	"transition": `//idem:statemachine table=tickets key=id column=status initial=Open final=Closed
//idem:transition Approve Open -> Approved once where="created_by <> :by"
//idem:transition Close * -> Closed
type Status int16`,
	"fire": `//idem:once key=orderID
//idem:fire Status.Pay key=orderID args=at:now
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string, now time.Time) (*Receipt, error)`,
	"version": `//idem:version table=accounts key=id column=version
//idem:update Deduct set="balance = balance - :amount" where="balance - :amount >= floor"
type Account struct {
	ID      string ` + "`db:\"id\"`" + `
	Balance int64  ` + "`db:\"balance\"`" + `
	Floor   int64  ` + "`db:\"floor\"`" + `
	Version int64  ` + "`db:\"version\"`" + `
}`,
	"update": `//idem:version table=accounts key=id column=version
//idem:update Rename set=holder
type Account struct {
	ID      string ` + "`db:\"id\"`" + `
	Holder  string ` + "`db:\"holder\"`" + `
	Version int64  ` + "`db:\"version\"`" + `
}`,
	"token": `//idem:token bind=sessionOf(ctx)
//idem:once key=orderID
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, orderID string, amount int64) (*Receipt, error)`,
	"lock": `//idem:lock key=saleID check=Released
//idem:once key=saleID
func (s *Service) Release(ctx context.Context, tx *sql.Tx, saleID string) (*Stock, error)`,
	"unique": `//idem:unique index=uq_orders_no(orders.shop,orders.no) lookup=ByNo
func (s *Service) Create(ctx context.Context, tx *sql.Tx, shop, no string) (*Order, error)`,
	"request": `//idem:request ttl=24h wait=5s principal=accountOf(r)
func (h *Handler) Pay(w http.ResponseWriter, r *http.Request)`,
	"message": `//idem:message key=msg.ID consumer=ledger
func (h *Handler) Book(ctx context.Context, tx *sql.Tx, msg Payment) error`,
}
