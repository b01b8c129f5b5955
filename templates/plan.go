package templates

import (
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// Clash is a name that the generated file needs and that is taken.
type Clash struct {
	Pos  model.Pos // of the declaration that asks for the name
	Name string    // IdempotentService
	What string    // what needs it, or why it can't be had
}

// ClashError is the error of Emit for names that are taken: all of them, in
// source order.
type ClashError struct{ Clashes []Clash }

// Error names all clashes.
func (e *ClashError) Error() string {
	texts := make([]string, len(e.Clashes))
	for i, c := range e.Clashes {
		texts[i] = c.Name + ": " + c.What
	}
	return "names are taken: " + strings.Join(texts, "; ")
}

// Clashes returns the names that Emit would declare and that are taken, in
// source order; nil when there are none. Checks use it for diagnostics.
func Clashes(pkg *model.Package) []Clash { return newPlan(ordered(pkg)).clashes }

// plan holds the package-scope names of a file. Names that users write are fixed
// and clash where they are taken; names that only generated code uses step aside.
type plan struct {
	pkg      *model.Package
	taken    names.Set // package scope and whatever private names must avoid
	public   names.Set // package scope alone, for names that users write
	declared []string
	clashes  []Clash

	sentinels string // idemSentinels, or "" if unused
	machines  []*machinePlan
	versions  []*versionPlan
	services  []*servicePlan
	funcs     []*funcPlan
}

// servicePlan names what a wrapped struct or interface declares.
type servicePlan struct {
	*model.Service
	wrapper, constructor, next string // IdempotentService, NewIdempotentService, serviceNext
	methods                    []*methodPlan
}

// methodPlan names what a guarded method declares.
type methodPlan struct {
	*model.Method
	title  string // Service.Pay, for prose
	op     string // opServicePay, or "" without a record and a token
	result string // servicePayResult, or "" unless there are several results
	joined string // PayTx, or "" unless the method may join a transaction
	shared string // payCtx, the helper of a method without a context, or ""
	held   string // PayCall, which names the record of a held call, or "" unless orphan=hold

	tokenOp    string // tokenServicePay, or "" without a token
	lockOp     string // lockServicePay, or "" without a lock
	lockCallOp string // opServicePayLock, or "" unless the lock has a key of its own
	uniqueOp   string // uniqueServicePay, or "" without a unique index
}

// holds tells whether records of the method may be held until somebody resolves them.
func holds(m *model.Method) bool {
	o := recordOf(m)
	return o != nil && !m.Tx() && o.Orphan == model.OrphanHold
}

// funcPlan names what a guarded function declares.
type funcPlan struct {
	methodPlan
	constructor string // IdempotentCreate
}

func newPlan(pkg *model.Package) *plan {
	p := &plan{
		pkg:    pkg,
		taken:  names.NewSet(pkg.Taken, pkg.FileNames),
		public: names.NewSet(pkg.Taken, pkg.FileNames),
	}
	p.predeclared()
	for _, d := range pkg.Declared {
		p.name(d.Pos, d.Name, "type "+d.Name)
		for _, c := range d.Consts {
			p.name(c.Pos, c.Name, "a state of "+d.Name)
		}
	}
	for _, m := range pkg.Machines {
		p.machines = append(p.machines, p.machine(m))
	}
	for _, v := range pkg.Versions {
		p.versions = append(p.versions, p.version(v))
	}
	for _, s := range pkg.Services {
		p.services = append(p.services, p.service(s))
	}
	for _, f := range pkg.Funcs {
		p.funcs = append(p.funcs, p.function(f))
	}
	p.private()
	return p
}

// needed are the predeclared identifiers that generated code can't do without.
var needed = []string{"any", "append", "bool", "byte", "error", "false", "int", "int64", "iota", "len", "make", "nil", "string", "true", "uint64", "uint8", "uint16"}

// predeclared refuses packages that give a needed identifier another meaning.
func (p *plan) predeclared() {
	for _, n := range needed {
		if p.public.Has(n) {
			p.clashes = append(p.clashes, Clash{Name: n, What: "the package redeclares a predeclared identifier that generated code needs"})
		}
	}
}

// name declares a name that users write. It clashes where it is taken.
func (p *plan) name(pos model.Pos, name, what string) string {
	if p.public.Has(name) {
		p.clashes = append(p.clashes, Clash{Pos: pos, Name: name, What: what})
	}
	p.public.Add(name)
	p.taken.Add(name)
	p.declared = append(p.declared, name)
	return name
}

// hidden declares a name that only generated code uses: want, or the next free one.
func (p *plan) hidden(want string) string {
	name := names.Fresh(want, p.taken)
	p.taken.Add(name)
	p.declared = append(p.declared, name)
	return name
}

// cased gives a generated name the visibility of what it is made for:
// Idempotent + Service, idempotent + service → idempotentService.
func cased(prefix, name string) string {
	if names.Exported(name) {
		return names.Upper(prefix) + name
	}
	return names.Lower(prefix) + names.Upper(name)
}

func (p *plan) service(s *model.Service) *servicePlan {
	sp := &servicePlan{Service: s}
	sp.wrapper = p.name(s.Pos, cased("idempotent", s.Name), "the wrapper of "+s.Name)
	sp.constructor = p.name(s.Pos, cased("newIdempotent", s.Name), "the constructor of "+sp.wrapper)
	members := names.NewSet(s.Members)
	for _, m := range s.Methods {
		members.Add(m.Name)
	}
	member := func(m *model.Method, name, what string) string {
		if members.Has(name) {
			p.clashes = append(p.clashes, Clash{Pos: m.Pos, Name: s.Name + "." + name, What: what})
		}
		members.Add(name)
		return name
	}
	for _, m := range s.Methods {
		mp := &methodPlan{Method: m, title: s.Name + "." + m.Name}
		if holds(m) {
			mp.held = member(m, m.Name+"Call", "the record of a held call of "+mp.title)
		}
		if m.Joins() {
			mp.joined = member(m, m.Name+"Tx", "the form of "+mp.title+" that joins a transaction")
			if m.CtxParam < 0 {
				mp.shared = names.Fresh(names.Lower(m.Name)+"Ctx", members)
				members.Add(mp.shared)
			}
		}
		sp.methods = append(sp.methods, mp)
	}
	return sp
}

func (p *plan) function(f *model.Method) *funcPlan {
	fp := &funcPlan{methodPlan: methodPlan{Method: f, title: f.Name}}
	fp.constructor = p.name(f.Pos, cased("idempotent", f.Name), "the guarded form of "+f.Name)
	if holds(f) {
		fp.held = p.name(f.Pos, fp.constructor+"Call", "the record of a held call of "+f.Name)
	}
	if f.Joins() {
		fp.joined = p.name(f.Pos, fp.constructor+"Tx", "the form of "+fp.constructor+" that joins a transaction")
		if f.CtxParam < 0 {
			fp.shared = names.Lower(fp.constructor) + "Ctx" // settled by private
		}
	}
	return fp
}

// private chooses the hidden names, once all others are known. They avoid the
// names of parameters, so that no wrapper hides one from itself.
func (p *plan) private() {
	for _, s := range p.services {
		for _, m := range s.methods {
			p.avoid(m.Method, s.TypeParams)
		}
	}
	for _, f := range p.funcs {
		p.avoid(f.Method, f.TypeParams)
	}
	names.ForEachSQLParam(p.pkg, func(param model.SQLParam) { p.taken.Add(param.Name) })
	for _, m := range p.machines {
		m.hide(p)
	}
	for _, v := range p.versions {
		v.hide(p)
	}
	for _, s := range p.services {
		forms := names.NewSet()
		for _, m := range s.methods { // the alias becomes a field beside them
			forms.Add(m.Name, m.joined, m.shared, m.held)
		}
		s.next = p.hidden(names.Fresh(names.Lower(s.Name)+"Next", forms))
		for _, m := range s.methods {
			p.operation(m, names.Upper(s.Name)+names.Upper(m.Name))
		}
	}
	for _, f := range p.funcs {
		p.operation(&f.methodPlan, names.Upper(f.Name))
		if f.shared != "" {
			f.shared = p.hidden(f.shared)
		}
	}
}

func (p *plan) avoid(m *model.Method, tps []model.TypeParam) {
	for _, param := range m.Params {
		p.taken.Add(param.Name)
	}
	for _, tp := range tps {
		p.taken.Add(tp.Name)
	}
}

// operation names the constants and the result of one guarded method.
func (p *plan) operation(m *methodPlan, base string) {
	if calls(m.Method) {
		m.op = p.hidden("op" + base)
	}
	if m.Token != nil {
		m.tokenOp = p.hidden("token" + base)
	}
	if m.Lock != nil {
		m.lockOp = p.hidden("lock" + base)
		if !m.Lock.SameKey {
			m.lockCallOp = p.hidden("op" + base + "Lock")
		}
	}
	if m.Unique != nil {
		m.uniqueOp = p.hidden("unique" + base)
	}
	if recordOf(m.Method) != nil {
		if len(p.pkg.Sentinels) > 0 && p.sentinels == "" {
			want := "idemSentinels"
			if p.pkg.Output == model.OutputTestFile {
				want = "idemTestSentinels" // the package may have a generated file of its own
			}
			p.sentinels = p.hidden(want)
		}
	}
	if len(m.Results) > 1 {
		if m.held != "" { // who resolves a held call must be able to name its result
			m.result = p.name(m.Pos, base+"Result", "the results of "+m.title)
		} else {
			m.result = p.hidden(names.Lower(base) + "Result")
		}
	}
}
