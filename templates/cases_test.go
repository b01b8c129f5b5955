package templates

import (
	"github.com/idemgen/idemgen/internal/model"
)

// genCase is one small package with a hazard; all of them are built together.
type genCase struct {
	dir   string
	src   string
	names map[string]string // package names that the import path does not tell
	test  bool              // the package is a test package
	build func(b *builder)
}

// helperPackages are imported by the cases.
var helperPackages = map[string]string{
	"order/order.go":         "package order\n\ntype Order struct{ ID string }\n\ntype Receipt struct{ ID string }\n",
	"other/order/order.go":   "package order\n\ntype Line struct{ N int }\n",
	"uuid/uuid.go":           "package another_uuid\n\ntype UUID [16]byte\n",
	"redis/v9/redis.go":      "package redis\n\ntype Client struct{ N int }\n",
	"go-money/money.go":      "package money\n\ntype Amount struct{ N int64 }\n",
	"call/call.go":           "package call\n\ntype Info struct{ N int }\n",
	"internal/pay/pay.go":    "package pay\n\ntype Order struct{ ID string }\n",
	"ids/ids.go":             "package ids\n\ntype Key interface{ ~string }\n",
	"gorm/gorm.go":           "package gorm\n\ntype DB struct{ N int }\n",
	"uow/uow.go":             "package uow\n\ntype Tx interface{ Do() error }\n",
	"pb/pb.go":               "package pb\n\ntype Status int32\n\nconst (\n\tStatus_NEW Status = 0\n\tStatus_PAID Status = 5\n)\n",
	"api_v2/v2/api.go":       "package api\n\ntype Req struct{ ID string }\n",
	"dotted/dotted.go":       "package dotted\n\ntype Dot struct{ N int }\n",
	"remote/machine/user.go": "package machine\n\ntype Status string\n\nconst (\n\tOpen Status = \"OPEN\"\n\tShut Status = \"SHUT\"\n)\n",
}

// genCases are the hazards of G1 and of signatures seen in the field.
var genCases = []genCase{
	{dir: "param_as_package", src: `package shop
import ("context"; "example.com/cases/order"; lines "example.com/cases/other/order")
type Service struct{}
func (s *Service) Pay(ctx context.Context, order *order.Order, time int, context string) (*order.Receipt, error) { return nil, nil }
func (s *Service) Line(c context.Context, id string) (lines.Line, error) { return lines.Line{}, nil }
`, build: func(b *builder) {
		b.method("Service.Pay", b.once("context"))
		b.method("Service.Line", b.once("id"))
	}},
	{dir: "param_as_local", src: `package shop
import "context"
type Service struct{}
func (s *Service) Do(ctx context.Context, w, ctx2, err, rec, key, i, idem, call, tx, s2, res, r0, engine string) (int, string, error) { return 0, "", nil }
func (svc *Service) Two(call context.Context, ctx, s string) error { return nil }
`, build: func(b *builder) {
		b.method("Service.Do", b.once("key"))
		b.method("Service.Two", b.once("ctx"))
	}},
	{dir: "blank", src: `package shop
import ("context"; "time")
type Service struct{ id string }
func (*Service) Do(_ context.Context, _ string) error { return nil }
func (s *Service) Between(time.Time, time.Time) error { return nil }
func (s *Service) Mixed(_ context.Context, id string, _ int, _ int) (_ string, err error) { return "", nil }
`, build: func(b *builder) {
		m := b.method("Service.Do", b.once(""))
		m.Once.Key = []model.Part{{Text: "#1", Kind: model.KindString, Expr: model.Code{{Kind: model.TokParam, Index: 1}}}}
		m = b.method("Service.Between", b.once("s.id"))
		m.Match = m.Match[:1]
		b.method("Service.Mixed", b.once("id"))
	}},
	{dir: "package_scope", src: `package shop
import ("context"; dbsql "database/sql"; std "time")
type sql struct{}
type idem int
type time struct{}
var call, ctx, err, tx, engine, records, serviceNext, opServiceDo, next, driver, json, strconv int
type Service struct{ engine, tx int }
func (s *Service) Do(ctx context.Context, tx *dbsql.Tx, id string) (std.Duration, error) { return 0, nil }
func (s *Service) status() int { return 0 }
type Status string
const (Created Status = "CREATED"; Paid Status = "PAID")
`, build: func(b *builder) {
		m := b.machine("Status", "Status", "string", []string{"Created=CREATED", "Paid=PAID"}, "Pay Created -> Paid")
		b.pkg.Services = nil
		method := b.method("Service.Do")
		method.TxParam = 1
		method.Match = method.Match[1:]
		b.once("id")(method)
		b.fire(m, "Pay", "id")(method)
	}},
	{dir: "package_names", names: map[string]string{
		"example.com/cases/uuid": "another_uuid", "example.com/cases/redis/v9": "redis",
		"example.com/cases/go-money": "money", "example.com/cases/api_v2/v2": "api"}, src: `package shop
import (
	"context"
	"example.com/cases/api_v2/v2"
	"example.com/cases/go-money"
	"example.com/cases/redis/v9"
	"example.com/cases/uuid"
	callpkg "example.com/cases/call"
	again "example.com/cases/call"
)
type Service struct{}
func (s *Service) Do(ctx context.Context, id another_uuid.UUID, c redis.Client, a money.Amount, r api.Req, i callpkg.Info, j again.Info) (callpkg.Info, error) { return i, nil }
`, build: func(b *builder) { b.method("Service.Do", b.once("", b.keyed("id", model.KindByteArray))) }},
	{dir: "alias_type", src: `package shop
import ("context"; "example.com/cases/internal/pay")
type Order = pay.Order
type Service struct{}
func (s *Service) Do(ctx context.Context, o Order) (*Order, error) { return nil, nil }
`, build: func(b *builder) { b.method("Service.Do", b.once("", b.keyed("o.ID", model.KindString))) }},
	{dir: "funcs_and_chans", src: `package shop
import "context"
type Service struct{}
func (s *Service) Log(level int) (func(string, ...any), error) { return nil, nil }
func (s *Service) Each(ctx context.Context, id string, f func(string, ...any) error, c chan<- int, a struct{ N int; S string }, m map[string][]*int, e interface{ Close() error }, arr [3]int) error { return nil }
func (s *Service) Anon(ctx context.Context, id string) (struct{ N int; S []struct{ T context.Context; U int } }, error) { panic(0) }
func (s *Service) Both(id string, a interface { A(); B(int) (string, error) }) (struct{ N int; S string }, int, error) { panic(0) }
func Loose(id string, a struct { A func(int) (string, error); B struct{ C int; D *int } }) (struct{ N int; S string }, int, error) { panic(0) }
`, build: func(b *builder) {
		m := b.method("Service.Log", b.once("", b.keyed("level", model.KindInt)))
		m.Once.NoResult = true
		m = b.method("Service.Each", b.once("id"))
		m.Match = nil
		b.method("Service.Anon", b.once("id"))
		b.method("Service.Both", b.once("id"))
		b.method("Loose", b.once("id"))
	}},
	{dir: "variadic", src: `package shop
import ("context"; "database/sql")
type API interface { Notify(ctx context.Context, ids ...string) error; Find(id string, more ...int) (string, error); Move(ctx context.Context, tx *sql.Tx, id string, more ...int) error; Look(id string, more ...int) string }
func Send(id string, a, b int, rest ...int) error { return nil }
`, build: func(b *builder) {
		m := b.method("API.Notify", b.once(""))
		m.Once.Key = []model.Part{b.part(m, "ids[0]", model.KindString)}
		m = b.method("API.Find", b.once("id"))
		m.Once.Lookup = &model.Lookup{Method: "Look", Args: []model.LookupArg{{Param: 0}, {Param: 1, Spread: true}}}
		b.method("API.Move", b.once("id"))
		b.method("Send", b.once("id"))
	}},
	{dir: "interfaces", src: `package shop
import ("context"; "io")
type base interface{ Ping() error }
type (
	Svc interface { base; io.Closer; Do(ctx context.Context, id string) (int, error) }
	private interface { Do(string) error }
)
`, build: func(b *builder) {
		b.method("Svc.Do", b.once("id"))
		m := b.method("private.Do", b.once(""))
		m.Once.Key = []model.Part{{Text: "#1", Kind: model.KindString, Expr: model.Code{{Kind: model.TokParam, Index: 0}}}}
		m.Match = nil
	}},
	{dir: "generics", src: `package shop
import ("context"; "database/sql"; "example.com/cases/ids")
type Store[K ids.Key, V any] struct{ n V }
func (s *Store[K, V]) Put(ctx context.Context, tx *sql.Tx, key K, v V) (V, error) { return v, nil }
func (s *Store[K, V]) Pair(ctx context.Context, key K) (V, map[K]*V, error) { return s.n, nil, nil }
type Reader[K ids.Key] interface { Get(ctx context.Context, tx *sql.Tx, k K, K2 int) (K, error) }
type Status string
const (New Status = "NEW"; Old Status = "OLD")
func Load[K ids.Key, V any](ctx context.Context, key K) (v V, n int, err error) { return v, 0, nil }
func Save[V any](tx *sql.Tx, key string) (v V, err error) { return v, nil }
`, build: func(b *builder) {
		m := b.machine("Status", "Status", "string", []string{"New=NEW", "Old=OLD"}, "Age New -> Old")
		b.method("Store.Put", b.once("key"), b.fire(m, "Age", "string(key)"))
		b.method("Store.Pair", b.once("key"))
		b.method("Reader.Get", b.once("k"))
		b.method("Load", b.once("key"))
		b.method("Save", b.once("key"), b.fire(m, "Age", "key"))
	}},
	{dir: "ctx_places", src: `package shop
import ("context"; "database/sql"; "example.com/cases/gorm")
type logger struct{ ctx context.Context }
func (l *logger) Write(id string) error { return nil }
func (l *logger) Keep(tx *sql.Tx, id string) (int, error) { return 0, nil }
func (l logger) Last(id string, tx *sql.Tx) error { return nil }
func (l *logger) Gorm(db *gorm.DB, ctx context.Context, id string) error { return nil }
func (l *logger) Carried(ctx context.Context, id string) (int, error) { return 0, nil }
func (l *logger) keepCtx() {}
func NoCtx(id string) error { return nil }
func NoCtxTx(tx *sql.Tx, id string) (string, error) { return "", nil }
`, build: func(b *builder) {
		field := func(m *model.Method) { m.CtxExpr = model.Code{{Kind: model.TokRecv}, {Text: ".ctx"}} }
		b.method("logger.Write", b.once("id"), field)
		b.method("logger.Keep", b.once("id"), field)
		b.method("logger.Last", b.once("id"))
		b.method("logger.Gorm", b.once("id"))
		m := b.method("logger.Carried", func(m *model.Method) { m.TxCtx = true }, b.once("id"))
		m.Once.Lease, m.Once.Orphan = 0, model.OrphanNone
		b.method("NoCtx", b.once("id"))
		b.method("NoCtxTx", b.once("id"))
	}},
	{dir: "several_parts", src: `package shop
import ("context"; "database/sql"; "example.com/cases/gorm"; "example.com/cases/uow")
type Status string
const (New Status = "NEW"; Done Status = "DONE")
type Refund string
const (RNew Refund = "NEW"; RDone Refund = "DONE")
type Service struct{ records, status int }
func (s *Service) A(ctx context.Context, tx *sql.Tx, id string) (Big, error) { return Big{}, nil }
func (s *Service) B(ctx context.Context, db *gorm.DB, id string) (string, error) { return "", nil }
func (s *Service) C(ctx context.Context, tx uow.Tx, id string) (int, bool, error) { return 0, false, nil }
func (s *Service) D(ctx context.Context, id string) ([3]int, error) { return [3]int{}, nil }
func (s *Service) Look(ctx context.Context, tx uow.Tx, id string) (int, bool, error) { return 0, false, nil }
func (s *Service) Seek(id string) Big { return Big{} }
type Big struct{ N int }
`, build: func(b *builder) {
		st := b.machine("Status", "Status", "string", []string{"New=NEW", "Done=DONE"}, "Finish New -> Done")
		rf := b.machine("Refund", "Refund", "string", []string{"RNew=NEW", "RDone=DONE"}, "Finish RNew -> RDone")
		m := b.method("Service.A", b.fire(st, "Finish", "id"))
		m.Fire.Lookup = &model.Lookup{Method: "Seek", Args: []model.LookupArg{{Param: 2}}}
		b.method("Service.B", b.once("id"), b.fire(rf, "Finish", "id"))
		m = b.method("Service.C", b.once("id"), b.fire(st, "Finish", "id"))
		look := &model.Lookup{Method: "Look", Error: true, Args: []model.LookupArg{{Ctx: true}, {Tx: true}, {Param: 2}}}
		m.Fire.Lookup, m.Once.Lookup = look, look
		m = b.method("Service.D", b.once("id"))
		m.Once.Orphan = model.OrphanRerun
	}},
	{dir: "guards", src: `package shop
import ("context"; "database/sql")
type Status string
const (New Status = "NEW"; Done Status = "DONE")
type Order struct{ ID string; Tenant *string }
type Request struct{ Order *Order; Name *string }
type Service struct{}
func (s *Service) A(ctx context.Context, tx *sql.Tx, req *Request) (string, error) { return "", nil }
func (s *Service) B(ctx context.Context, tx *sql.Tx, req *Request) (Order, error) { return Order{}, nil }
func (s *Service) C(req *Request) error { return nil }
`, build: func(b *builder) {
		st := b.machine("Status", "Status", "string", []string{"New=NEW", "Done=DONE"}, "Finish New -> Done")
		b.method("Service.A", b.once("", b.keyed("req.Order.ID", model.KindString, "req", "req.Order")), b.fire(st, "Finish", "req.Order.ID", "req", "req.Order"))
		b.method("Service.B", b.fire(st, "Finish", "req.Order.ID", "req", "req.Order"))
		m := b.method("Service.C", b.once("", b.keyed("req.Name", model.KindString, "req", "req.Name")))
		m.Once.Key[0].Deref = true
		m.Scope = b.part(m, "*req.Order.Tenant", 0).Expr
		m.ScopeGuards = b.part(m, "req", 0, "req", "req.Order", "req.Order.Tenant").Guards
	}},
	{dir: "functions", src: `package shop
import ("context"; "database/sql"; "errors")
type Status string
const (New Status = "NEW"; Done Status = "DONE")
type run struct{ N int }
var ErrOne, ErrTwo, ErrThree = errors.New("1"), errors.New("2"), errors.New("3")
func Create(ctx context.Context, tx *sql.Tx, store, engine, status string) (*run, error) { return nil, nil }
func pay(ctx context.Context, pay string, run run) error { return nil }
func find(pay string) error { return nil }
`, build: func(b *builder) {
		st := b.machine("Status", "Status", "string", []string{"New=NEW", "Done=DONE"}, "Finish New -> Done")
		b.pkg.Sentinels = []string{"ErrOne", "ErrThree", "ErrTwo"}
		b.method("Create", b.once("store"), b.fire(st, "Finish", "status"))
		m := b.method("pay", b.once("pay"))
		m.Once.Lookup = &model.Lookup{Method: "find", Error: true, Args: []model.LookupArg{{Param: 1}}}
		m.Once.Wait, m.Once.MaxResult, m.Once.TTL, m.Once.FailOpen = 1500e6, 64<<10, model.Never, true
		m.Once.Errors = []model.ErrorRule{
			{Do: "store", Name: "ErrOne", Expr: model.Text("ErrOne")},
			{Do: "unknown", Name: "ErrTwo", Expr: model.Text("ErrTwo")},
			{Do: "release", Name: "sql.ErrNoRows", Expr: model.Qual("database/sql", "sql", "ErrNoRows")},
		}
	}},
	{dir: "universe", src: `package shop
import "context"
type Receipt struct{ N int }
type Service struct{}
func (s *Service) Do(ctx context.Context, nil, error, string, len, any, Receipt int, new bool) (*Receipt, string, error) { panic(0) }
func (s *Service) fail() error { return nil }
`, build: func(b *builder) { b.method("Service.Do", b.once("", b.keyed("len", model.KindInt))) }},
	{dir: "dot_import", src: `package shop
import ("context"; . "example.com/cases/dotted")
type Service struct{}
func (s *Service) Do(ctx context.Context, id string, d Dot) (Dot, error) { return d, nil }
`, build: func(b *builder) {
		m := b.method("Service.Do", b.once("id"))
		imp := model.Import{Path: "example.com/cases/dotted", Name: "dotted", Alias: "."}
		dot := model.Code{{Kind: model.TokQual, Text: "Dot", Import: imp}}
		m.Params[2].Type, m.Results[0].Type = dot, dot
	}},
	{dir: "test_package", test: true, src: `package shop_test
import "context"
type fake struct{}
func (f *fake) Do(ctx context.Context, id string) error { return nil }
`, build: func(b *builder) { b.method("fake.Do", b.once("id")) }},
	{dir: "constraint", src: `//go:build integration && !windows

package shop
import "context"
type Service struct{}
func (s *Service) Do(ctx context.Context, id string) error { return nil }
`, build: func(b *builder) {
		b.pkg.Constraint = "integration && !windows"
		b.method("Service.Do", b.once("id"))
	}},
	{dir: "remote/machine", src: `package machine
type Unused struct{}
`, build: func(b *builder) {
		b.machine("Status", "Status", "string", []string{"Open=OPEN", "Shut=SHUT"}, "Close Open -> Shut")
	}},
	{dir: "remote/user", src: `package user
import ("context"; "database/sql")
type Service struct{}
func (s *Service) Close(ctx context.Context, tx *sql.Tx, id string) error { return nil }
`, build: func(b *builder) {
		other := newBuilder(b.t, "remote/machine", helperPackages["remote/machine/user.go"], nil)
		m := b.method("Service.Close", b.once("id"))
		b.fire(other.machine("Status", "Status", "string", []string{"Open=OPEN", "Shut=SHUT"}, "Close Open -> Shut"), "Close", "id")(m)
		m.Fire.MachineImport = &model.Import{Path: casesModule + "/remote/machine", Name: "machine"}
	}},
	{dir: "scopes", src: `package shop
import "context"
type Tenant string
type Service struct{ tenant Tenant }
func (s *Service) Do(ctx context.Context, id string) error { return nil }
func (s *Service) Name() string { return "" }
`, build: func(b *builder) {
		m := b.method("Service.Do", b.once("id"))
		m.Scope = model.Code{{Text: "string("}, {Kind: model.TokRecv}, {Text: ".tenant)"}}
		m.Match = nil
		m.Once.Key = append(m.Once.Key, b.part(m, "s.Name()", model.KindString))
	}},
}
