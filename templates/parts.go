package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/templates/names"
)

// part is something that the layers of a wrapper need: given to its constructor,
// or made there from another part.
type part struct {
	id   string // equal for equal parts
	rank int    // place in the constructor, by kind; equal ranks keep the order of first use
	want string // wished name: engine, records, tx, status
	typ  *jen.Statement
	// made builds the part from others; nil for one that is given.
	made func(in making) *jen.Statement
	// transient: the part only goes into parts that are made, and has no field.
	transient bool

	name string // settled: field of the wrapper, or variable of a function
}

// Ranks of parts: the order of constructor parameters.
const (
	rankEngine = iota
	rankRecords
	rankTx
	rankTokens
	rankLocks
	rankViolation
	rankMade
)

// making is the place where parts are made.
type making struct {
	part func(id string) *jen.Statement // a part that is given
	next string                         // the wrapped value, "" for a function
}

func (e *emitter) enginePart() part {
	return part{id: "engine", rank: rankEngine, want: "engine", typ: jen.Op("*").Add(e.idem("Engine"))}
}

func (e *emitter) recordsPart() part {
	return part{id: "records", rank: rankRecords, want: "records", typ: e.idem("RecordStore")}
}

func (e *emitter) tokensPart() part {
	return part{id: "tokens", rank: rankTokens, want: "tokens", typ: e.idem("TokenStore")}
}

func (e *emitter) locksPart() part {
	return part{id: "locks", rank: rankLocks, want: "locks", typ: e.idem("Locker")}
}

func (e *emitter) violationPart() part {
	return part{id: "violation", rank: rankViolation, want: "violation", typ: e.idem("Violation")}
}

// txPart is the store of a method's kind of transaction: one for each T.
func (e *emitter) txPart(m *model.Method) part {
	return part{id: txID(m), rank: rankTx, want: "tx", typ: e.idem("TxStore").Types(e.txType(m))}
}

func txID(m *model.Method) string {
	if m.TxCtx {
		return "tx struct{}"
	}
	return "tx " + names.Identity(m.Params[m.TxParam].Type)
}

// txType is T of a method's transaction.
func (e *emitter) txType(m *model.Method) *jen.Statement {
	if m.TxCtx {
		return jen.Struct()
	}
	return e.code(m.Params[m.TxParam].Type)
}

// guardPart is the guard of the state machine that a method fires, made for the
// dialect of its transaction.
func (e *emitter) guardPart(m *model.Method) part {
	path, mp := "", m.Fire.Machine
	if m.Fire.MachineImport != nil {
		path = m.Fire.MachineImport.Path
	}
	named := func(name string) *jen.Statement {
		if path == "" {
			return jen.Id(name)
		}
		return e.use(path, name)
	}
	guard, constructor := guardNames(mp.Name)
	return part{
		id:   "guard " + path + "." + mp.Name + " " + txID(m),
		rank: rankMade,
		want: names.Lower(mp.Name),
		typ:  named(guard),
		made: func(in making) *jen.Statement {
			return named(constructor).Call(in.part(txID(m)).Dot("Dialect").Call())
		},
	}
}

// partsOf collects what a list of methods needs, each part once, in constructor order.
func (e *emitter) partsOf(methods []*methodPlan) []part {
	var parts []part
	for _, m := range methods {
		for _, l := range layersOf(m.Method) {
			for _, need := range l.needs(e, m.Method) {
				i := slices.IndexFunc(parts, func(p part) bool { return p.id == need.id })
				if i < 0 {
					parts = append(parts, need)
				} else {
					parts[i].transient = parts[i].transient && need.transient
				}
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.rank - b.rank })
	return parts
}

// given are the parts that a constructor takes as parameters.
func given(parts []part) []part {
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.made != nil })
}
