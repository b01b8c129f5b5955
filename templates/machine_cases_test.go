package templates

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
)

// machineCases are the forms that states have in the field (S6).
var machineCases = []genCase{
	{dir: "m_string", src: `package m
type Status string
const (Created Status = "CREATED"; Paid Status = "PAID"; Gone Status = "en \"cours\"\\ 支付\n")
func (s *Status) Valid() bool { return *s != "" }
`, build: func(b *builder) {
		m := b.machine("Status", "Status", "string", []string{"Created=CREATED", "Paid=PAID", "Gone=en \"cours\"\\ 支付\n"}, "Pay Created -> Paid", "Go Created,Paid -> Gone", "Stay Paid -> Paid")
		m.HasMethods = []string{"Valid"}
		m.Table, m.Key, m.Column = []string{"shop", "order"}, "group", "a`\"b"
	}},
	{dir: "m_int", src: `package m
type Prio int8
const (Low Prio = -1; Mid Prio = 3; s Prio = 7)
`, build: func(b *builder) {
		b.machine("Prio", "Prio", "int8", []string{"Low=-1", "Mid=3", "s=7"}, "Raise Low -> Mid", "Drop Mid -> s")
	}},
	{dir: "m_iota", src: `package m
type Step uint8
const (First Step = iota; Second; Third)
`, build: func(b *builder) {
		b.machine("Step", "Step", "uint8", []string{"First=0", "Second=1", "Third=2"}, "Go First -> Second", "On Second -> Third")
	}},
	{dir: "m_bool", src: `package m
type Flag bool
const (Off Flag = false; On Flag = true)
`, build: func(b *builder) {
		b.machine("Flag", "Flag", "bool", []string{"Off=false", "On=true"}, "Switch Off -> On", "Back On -> Off")
	}},
	{dir: "m_untyped", src: `package m
const (stateNew = "new"; stateOld = "old")
const (kindA = 10; kindB = 20)
`, build: func(b *builder) {
		b.machine("Doc", "string", "string", []string{"stateNew=new", "stateOld=old"}, "Age stateNew -> stateOld")
		b.machine("Kind", "int", "int", []string{"kindA=10", "kindB=20"}, "Age kindA -> kindB")
	}},
	{dir: "m_alias", src: `package m
type S = string
const (A S = "a.b"; B S = "c.d")
type b2 = byte
`, build: func(b *builder) {
		m := b.machine("S", "S", "string", []string{"A=a.b", "B=c.d"}, "Go A -> B")
		m.Methods = false
	}},
	{dir: "m_foreign", src: `package m
import "example.com/cases/pb"
var X pb.Status = 9
`, build: func(b *builder) {
		m := b.machine("Proto", "pb.Status", "int32", []string{"pb.Status_NEW=0", "pb.Status_PAID=5", "X=9"}, "Pay Status_NEW -> Status_PAID", "End Status_PAID -> X")
		m.States[2].Constant = false
		m.KeyType = model.Text("int64")
	}},
	{dir: "m_private", src: `package m
type status string
const (open status = "o"; shut status = "s")
`, build: func(b *builder) {
		b.machine("status", "status", "string", []string{"open=o", "shut=s"}, "Close open -> shut")
	}},
	{dir: "m_shared", src: `package m
type A string
const (New A = "NEW"; Done A = "DONE")
`, build: func(b *builder) {
		b.machine("A", "A", "string", []string{"New=NEW", "Done=DONE"}, "Go New -> Done")
		m := b.machine("Second", "A", "string", []string{"New=NEW", "Done=DONE"}, "Go New -> Done")
		m.Methods = false
	}},
	{dir: "m_own_codec", src: `package m
type Status string
const (On Status = "ON"; Off Status = "OFF")
func (s Status) MarshalJSON() ([]byte, error) { return []byte("1"), nil }
func (s *Status) Scan(any) error { return nil }
`, build: func(b *builder) {
		m := b.machine("Status", "Status", "string", []string{"On=ON", "Off=OFF"}, "Go On -> Off")
		m.HasMethods = []string{"MarshalJSON", "Scan"}
	}},
	bigMachine(),
}

// bigMachine has more states than a word has bits, and many events.
func bigMachine() genCase {
	var src strings.Builder
	src.WriteString("package m\ntype Big int\nconst (\n")
	var states, events []string
	for i := range 130 {
		fmt.Fprintf(&src, "\tS%d Big = %d\n", i, i*3)
		states = append(states, fmt.Sprintf("S%d=%d", i, i*3))
		if i > 0 {
			events = append(events, fmt.Sprintf("E%d S%d -> S%d", i, i-1, i))
		}
	}
	src.WriteString(")\n")
	var all []string
	for i := range 129 {
		all = append(all, fmt.Sprintf("S%d", i))
	}
	events = append(events, "Stop "+strings.Join(all, ",")+" -> S129")
	return genCase{dir: "m_big", src: src.String(), build: func(b *builder) {
		b.machine("Big", "Big", "int", states, events...)
	}}
}
