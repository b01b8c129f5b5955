package templates

import "github.com/idemgen/idemgen/internal/model"

// layerCases are the layers beside once and fire, alone and stacked.
var layerCases = []genCase{
	{dir: "l_token", src: `package shop
import ("context"; "database/sql")
type Receipt struct{ ID string }
type Request struct{ Order *struct{ Token string; Session *string } }
type Service struct{ session string; ctx context.Context }
func session(ctx context.Context) string { return "" }
func (s *Service) Bare(ctx context.Context, id string) error { return nil }
func (s *Service) Pay(ctx context.Context, tx *sql.Tx, id string, amount int64) (*Receipt, error) { return nil, nil }
func (s *Service) Lease(ctx context.Context, id string) (string, int, error) { return "", 0, nil }
func (s *Service) Given(tx *sql.Tx, req *Request, token, string int) (int, error) { return 0, nil }
func (s *Service) NoCtx(id string) (*Receipt, error) { return nil, nil }
func (s *Service) Find(ctx context.Context, tx *sql.Tx, id string) (*Receipt, error) { return nil, nil }
func Loose(ctx context.Context, text string) error { return nil }
func Generic[T any](ctx context.Context, text string, v T) (T, error) { panic(0) }
`, build: func(b *builder) {
		b.method("Service.Bare", b.token(func(m *model.Method) { m.Token.Burn, m.Token.Keep = true, model.Never }))
		m := b.method("Service.Pay", b.once("id"), b.token())
		m.Token.Bind = b.text(m, "session(ctx)")
		m.Once.Lookup = b.asks(m, "Find(ctx, tx, id)")
		b.method("Service.Lease", b.once("id"), b.token())
		m = b.method("Service.Given", b.token())
		m.Token.Header, m.Token.Value = "", b.text(m, "req.Order.Token", "req", "req.Order")
		m.Token.Bind = b.text(m, "*req.Order.Session", "req", "req.Order", "req.Order.Session")
		m = b.method("Service.NoCtx", b.token())
		m.CtxExpr = b.part(m, "s.ctx", 0).Expr
		m.Token.Bind = b.text(m, "s.session")
		m = b.method("Loose", b.token())
		m.Token.Header, m.Token.Value = "", b.text(m, "text")
		m = b.method("Generic", b.token(), b.lock("text"))
		m.Token.Header, m.Token.Value = "", b.text(m, "text")
	}},
	{dir: "l_lock", src: `package shop
import ("context"; "database/sql")
type Status string
const (New Status = "NEW"; Done Status = "DONE")
type Big struct{ N int }
type Service struct{}
func (s *Service) Bare(ctx context.Context, id string) error { return nil }
func (s *Service) Checked(ctx context.Context, id, bool, found string) error { return nil }
func (s *Service) Done(ctx context.Context, id string) (bool, error) { return false, nil }
func (s *Service) One(ctx context.Context, tx *sql.Tx, id string) (Big, error) { return Big{}, nil }
func (s *Service) Two(id, lock string) (Big, int, error) { return Big{}, 0, nil }
func (s *Service) TwoDone(id string) (Big, int, bool, error) { return Big{}, 0, false, nil }
func (s *Service) Same(ctx context.Context, id string) (Big, error) { return Big{}, nil }
func (s *Service) SameTx(ctx context.Context, tx *sql.Tx, id string) (Big, error) { return Big{}, nil }
func (s *Service) Other(ctx context.Context, tx *sql.Tx, id, stock string) (Big, error) { return Big{}, nil }
func (s *Service) Find(ctx context.Context, tx *sql.Tx, id string) (Big, error) { return Big{}, nil }
func (s *Service) Fenced(ctx context.Context, tx *sql.Tx, id string) error { return nil }
type Box[T any] struct{ v T }
func (b *Box[T]) Put(ctx context.Context, id string, v T) (T, error) { return v, nil }
func Loose(id string) error { return nil }
func looseDone(id string) (bool, error) { return false, nil }
`, build: func(b *builder) {
		st := b.machine("Status", "Status", "string", []string{"New=NEW", "Done=DONE"}, "Finish New -> Done")
		st.Fence = "fence"
		b.method("Service.Bare", b.lock("id"))
		b.method("Service.Checked", b.lock("id"), b.check("Done(ctx, id)"))
		b.method("Service.One", b.lock("id"))
		b.method("Service.Two", b.lock("id"), b.check("TwoDone(id)"))
		b.method("Service.Same", b.once("id"), b.lock("id"))
		m := b.method("Service.SameTx", b.once("id"), b.lock("id"))
		m.Once.Lookup = b.asks(m, "Find(ctx, tx, id)")
		b.method("Service.Other", b.once("id"), b.lock("stock"), b.token())
		m = b.method("Service.Fenced", b.lock("id"), b.fire(st, "Finish", "id"))
		m.Fire.Args = []model.FireArg{{Name: "fence", LockFence: true}}
		b.method("Box.Put", b.once("id"), b.lock("id"))
		b.method("Loose", b.lock("id"), b.check("looseDone(id)"))
	}},
	{dir: "l_unique", src: `package shop
import ("context"; "database/sql")
type Order struct{ ID string }
type Status string
const (New Status = "NEW"; Done Status = "DONE")
type Service struct{ violation int }
func (s *Service) Create(ctx context.Context, id string) (*Order, error) { return nil, nil }
func (s *Service) CreateTx(ctx context.Context, tx *sql.Tx, id string) (*Order, error) { return nil, nil }
func (s *Service) Insert(ctx context.Context, id string) error { return nil }
func (s *Service) Kept(ctx context.Context, id string) (*Order, int, error) { return nil, 0, nil }
func (s *Service) All(ctx context.Context, tx *sql.Tx, id string) (*Order, error) { return nil, nil }
func (s *Service) NoCtx(tx *sql.Tx, id string) error { return nil }
func (s *Service) Find(ctx context.Context, id string) (*Order, error) { return nil, nil }
func (s *Service) FindTx(ctx context.Context, tx *sql.Tx, id string) (*Order, error) { return nil, nil }
func (s *Service) Find2(ctx context.Context, id string) (*Order, int, error) { return nil, 0, nil }
func (s *Service) Has(ctx context.Context, id string) error { return nil }
func Create(ctx context.Context, tx *sql.Tx, id string) (*Order, error) { return nil, nil }
func find(ctx context.Context, tx *sql.Tx, id string) (*Order, error) { return nil, nil }
`, build: func(b *builder) {
		st := b.machine("Status", "Status", "string", []string{"New=NEW", "Done=DONE"}, "Finish New -> Done")
		b.method("Service.Create", b.unique("uq_orders_no", "Find(ctx, id)", "orders.shop", "orders.no"))
		m := b.method("Service.CreateTx", b.unique("uq_orders_no", "FindTx(ctx, tx, id)"))
		m.OpName += "2"
		b.method("Service.Insert", b.unique("uq_orders_no", "Has(ctx, id)"))
		b.method("Service.Kept", b.once("id"), b.unique("uq_orders_no", "Find2(ctx, id)"))
		b.method("Service.All", b.once("id"), b.token(), b.lock("id"), b.fire(st, "Finish", "id"), b.unique("uq_orders_no", "FindTx(ctx, tx, id)"))
		b.method("Service.NoCtx", b.unique("uq_orders_no", "Has(ctx, id)"))
		b.method("Create", b.unique("uq_orders_no", "find(ctx, tx, id)"))
	}},
	{dir: "l_message", src: `package shop
import ("context"; "database/sql"; "errors")
type Msg struct{ ID string }
type Status string
const (New Status = "NEW"; Done Status = "DONE")
var ErrPoison = errors.New("poison")
type Consumer struct{}
func (c *Consumer) Handle(ctx context.Context, msg *Msg) error { return nil }
func (c *Consumer) HandleTx(ctx context.Context, tx *sql.Tx, msg *Msg) error { return nil }
func (c *Consumer) Fired(ctx context.Context, tx *sql.Tx, msg *Msg) error { return nil }
func (c *Consumer) Locked(msg *Msg, id string) error { return nil }
func (c *Consumer) Stored(ctx context.Context, msg *Msg) error { return nil }
func (c *Consumer) StoredTx(ctx context.Context, tx *sql.Tx, id string) error { return nil }
func (c *Consumer) Seen(ctx context.Context, msg *Msg) error { return nil }
func (c *Consumer) SeenTx(ctx context.Context, tx *sql.Tx, id string) error { return nil }
func Handle(ctx context.Context, msg *Msg) error { return nil }
func Take[T any](ctx context.Context, id string, v T) error { return nil }
`, build: func(b *builder) {
		b.pkg.Sentinels = []string{"ErrPoison"}
		st := b.machine("Status", "Status", "string", []string{"New=NEW", "Done=DONE"}, "Finish New -> Done")
		m := b.method("Consumer.Handle", b.message("billing", "msg.ID", "msg"))
		m.Message.Errors = []model.ErrorRule{{Do: "store", Name: "ErrPoison", Expr: model.Text("ErrPoison")}}
		m = b.method("Consumer.HandleTx", b.message("billing", "msg.ID", "msg"))
		m.OpName += "2"
		b.method("Consumer.Fired", b.message("", "msg.ID", "msg"), b.fire(st, "Finish", "msg.ID", "msg"))
		b.method("Consumer.Locked", b.message("", "id"), b.lock("id"))
		m = b.method("Consumer.Stored", b.message("", "msg.ID", "msg"), b.unique("uq_orders_no", "Seen(ctx, msg)"))
		m.Message.Orphan = model.OrphanHold
		b.method("Consumer.StoredTx", b.message("", "id"), b.fire(st, "Finish", "id"), b.unique("uq_orders_no", "SeenTx(ctx, tx, id)"))
		b.method("Handle", b.message("billing", "msg.ID", "msg"))
		m = b.method("Take", b.message("billing", "id"))
		m.Message.Orphan = model.OrphanHold
	}},
	{dir: "l_request", src: `package shop
import ("context"; "net/http")
type auth struct{ who string }
func (a *auth) of(r *http.Request) string { return a.who }
type Handler struct{ auth *auth; next string; payGate int }
func (h *Handler) Pay(w http.ResponseWriter, r *http.Request) {}
func (h *Handler) Odd(next http.ResponseWriter, string *http.Request) {}
func (h *Handler) Once(ctx context.Context, id string) error { return nil }
type API interface { Serve(http.ResponseWriter, *http.Request) }
type Box[T any] struct{ v T }
func (b *Box[T]) Serve(_ http.ResponseWriter, _ *http.Request) {}
type Loner struct{}
func (l Loner) Serve(s http.ResponseWriter, engine *http.Request) {}
func Pay(w http.ResponseWriter, r *http.Request) {}
func who(r *http.Request) string { return "" }
`, build: func(b *builder) {
		m := b.method("Handler.Pay", b.request())
		m.Request.Principal = b.text(m, "h.auth.of(r)", "h.auth")
		m = b.method("Handler.Odd", b.request())
		m.Request.Principal = b.text(m, "h.auth.of(string)")
		m.Request.Methods, m.Request.Required, m.Request.Wait = []string{"POST", "PUT"}, true, 2e9
		m.Request.TTL, m.Request.Orphan = model.Never, model.OrphanRerun
		b.method("Handler.Once", b.once("id"))
		b.method("API.Serve", b.request())
		b.method("Box.Serve", b.request())
		b.method("Loner.Serve", b.request())
		m = b.method("Pay", b.request())
		m.Request.Principal = b.text(m, "who(r)")
	}},
}
