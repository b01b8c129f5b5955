package templates

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
)

// operations declares the constants of a method's layers, outermost first.
func (e *emitter) operations(m *methodPlan, tps []model.TypeParam) []jen.Code {
	var decls []jen.Code
	if m.Token != nil {
		decls = append(decls, e.tokenOperation(m))
	}
	if m.Lock != nil {
		decls = append(decls, e.lockOperations(m, tps)...)
	}
	if m.op != "" {
		decls = append(decls, e.operation(m, tps))
	}
	if m.Unique != nil {
		decls = append(decls, e.uniqueOperation(m))
	}
	return decls
}

// operation declares the idem.Op of a method: only what is set.
func (e *emitter) operation(m *methodPlan, tps []model.TypeParam) jen.Code {
	o := recordOf(m.Method)
	if o == nil { // the token is the key
		o = &model.Once{Key: []model.Part{{Text: "the token"}}}
	}
	fields := fieldList{field("Name", lit(m.OpName)), field("Key", e.keyTexts(tps, o.Key))}
	set := fields.set
	set(o.TTL != 0, "TTL", func() jen.Code { return e.retention(o.TTL) })
	set(o.Lease != 0, "Lease", func() jen.Code { return e.duration(o.Lease) })
	set(o.Wait != 0, "Wait", func() jen.Code { return e.duration(o.Wait) })
	set(o.Orphan != model.OrphanNone, "Orphan", func() jen.Code { return e.idem(orphanNames[o.Orphan]) })
	set(len(o.Errors) > 0, "Errors", func() jen.Code { return e.errorRules(o.Errors) })
	set(e.sentinels != "" && recordOf(m.Method) != nil, "Sentinels", func() jen.Code { return jen.Id(e.sentinels) })
	set(o.MaxResult != 0, "MaxResult", func() jen.Code { return jen.Id(byteSize(o.MaxResult)) })
	set(o.NoResult, "NoResult", func() jen.Code { return jen.True() })
	set(o.Codec != nil, "Codec", func() jen.Code { return e.code(o.Codec) })
	set(o.FailOpen, "FailOpen", func() jen.Code { return jen.True() })

	return doc(m.op + " is the operation of " + m.title + ".").Line().
		Var().Id(m.op).Op("=").Add(e.idem("Op")).Add(rows(fields...))
}

// keyTexts are the parts of a key as written.
func (e *emitter) keyTexts(tps []model.TypeParam, parts []model.Part) jen.Code {
	var key []string
	for _, tp := range tps {
		key = append(key, "type "+tp.Name)
	}
	for _, p := range parts {
		key = append(key, p.Text)
	}
	return textList(key)
}

// fieldList are the rows of a struct literal.
type fieldList []jen.Code

// set adds a field whose value is not the zero one.
func (l *fieldList) set(ok bool, name string, value func() jen.Code) {
	if ok {
		*l = append(*l, field(name, value()))
	}
}

// textList writes []string{"a", "b"}.
func textList(texts []string) jen.Code {
	list := make([]jen.Code, len(texts))
	for i, t := range texts {
		list[i] = lit(t)
	}
	return jen.Index().String().Values(list...)
}

var orphanNames = [...]string{model.OrphanNone: "OrphanNone", model.OrphanRerun: "OrphanRerun", model.OrphanHold: "OrphanHold"}

// errorActions are the constants of the errors= verbs.
func errorAction(do string) string {
	switch do {
	case "release":
		return "ReleaseError"
	case "store":
		return "StoreError"
	case "unknown":
		return "UnknownError"
	}
	panic("errors= has no verb " + do)
}

func (e *emitter) errorRules(rules []model.ErrorRule) jen.Code {
	var list []jen.Code
	for _, r := range rules {
		list = append(list, row(jen.Values(
			jen.Id("Name").Op(":").Add(lit(r.Name)),
			jen.Id("Err").Op(":").Add(e.code(r.Expr)),
			jen.Id("Do").Op(":").Add(e.idem(errorAction(r.Do))),
		)))
	}
	return jen.Index().Add(e.idem("ErrorRule")).Add(rows(list...))
}

// sentinelList declares the error variables of the package.
func (e *emitter) sentinelList() []jen.Code {
	if e.sentinels == "" {
		return nil
	}
	var list []jen.Code
	for _, s := range e.pkg.Sentinels {
		list = append(list, row(jen.Values(jen.Id("Name").Op(":").Add(lit(s)), jen.Id("Err").Op(":").Id(s))))
	}
	return []jen.Code{
		doc(e.sentinels + " are the errors of this package: a stored error that wraps one is replayed as an error that wraps it.").Line().
			Var().Id(e.sentinels).Op("=").Index().Add(e.idem("Sentinel")).Add(rows(list...)),
	}
}

func (e *emitter) retention(ns int64) jen.Code {
	if ns == model.Never {
		return e.idem("Never")
	}
	return e.duration(ns)
}

// units are the units that durations are written in, largest first.
var units = []struct {
	unit time.Duration
	name string
}{
	{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
	{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}, {time.Nanosecond, "Nanosecond"},
}

// duration writes 24 * time.Hour.
func (e *emitter) duration(ns int64) jen.Code {
	for _, u := range units {
		if n := ns / int64(u.unit); ns%int64(u.unit) == 0 {
			if n == 1 {
				return e.use("time", u.name)
			}
			return jen.Id(strconv.FormatInt(n, 10)).Op("*").Add(e.use("time", u.name))
		}
	}
	return jen.Id(strconv.FormatInt(ns, 10))
}

// span writes a duration as people do: 24h, 1m30s, 1.5s.
func span(ns int64) string {
	if ns == model.Never {
		return "for ever"
	}
	text := time.Duration(ns).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// byteSize writes 1 << 20 for 1 MiB.
func byteSize(n int64) string {
	for _, shift := range []int{30, 20, 10} {
		if unit := int64(1) << shift; n%unit == 0 {
			return fmt.Sprintf("%d << %d", n/unit, shift)
		}
	}
	return strconv.FormatInt(n, 10)
}
