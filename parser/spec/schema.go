package spec

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/idemgen/idemgen/parser/directive"
)

// Schema is the JSON schema (draft 7) of idem.yaml for editors, made from the registry
// of directives: names, arguments, allowed values, defaults and what each is for.
func Schema() []byte {
	defs := object{
		"text":    object{"type": []string{"string", "number", "boolean"}},
		"package": packageSchema(), "declaration": declarationSchema(),
	}
	for _, s := range directive.Specs() {
		defs[s.Name] = directiveSchema(s)
	}
	root := closed(object{
		"version":  object{"const": 1, "description": "form of this file"},
		"packages": object{"type": "object", "description": "packages by import path, or by folder relative to this file: ./orders", "additionalProperties": ref("package")},
	}, "version", "packages")
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = FileName
	root["description"] = "what idemgen's directives say, for code that can't carry comments"
	root["definitions"] = defs
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err) // maps, lists and texts alone
	}
	return b.Bytes()
}

type object = map[string]any

func ref(name string) object { return object{"$ref": "#/definitions/" + name} }

func anyOf(list ...any) object { return object{"anyOf": list} }

// closed is a mapping with no other keys.
func closed(properties object, required ...string) object {
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func packageSchema() object {
	return closed(object{
		"imports":      object{"type": "object", "description": "packages that expressions and types in this file name, by the name they use", "additionalProperties": object{"type": "string"}},
		"declarations": object{"type": "object", "description": "declarations by name: Service.Pay, Create, Status, or any constant of a block", "additionalProperties": ref("declaration")},
	}, "declarations")
}

func declarationSchema() object {
	properties := object{
		typeKey:   object{"type": "string", "description": "makes idemgen declare the type: string, an integer type, or an alias of a type of another package, such as pb.OrderStatus or kv.Store[string]"},
		statesKey: object{"type": "object", "minProperties": 1, "description": "states that exist as literals alone: Go names and what the column holds. idemgen declares the type and the constants", "additionalProperties": ref("text")},
	}
	for _, s := range directive.Specs() {
		properties[s.Name] = ref(s.Name)
	}
	d := closed(properties)
	d["minProperties"] = 1
	return d
}

// directiveSchema has the forms of a directive, as directive.go reads them.
func directiveSchema(s directive.Spec) object {
	one := anyOf(object{"type": "string"}, arguments(s, s.Head))
	if !s.Repeatable {
		one["description"] = s.Doc
		if !required(s) {
			one["anyOf"] = append(one["anyOf"].([]any), object{"type": "null"})
		}
		return one
	}
	headed := anyOf(object{"type": "string"}, arguments(s, s.Head[1:]))
	several := object{"type": "array", "minItems": 1, "items": headed}
	all := anyOf(object{"type": "string"},
		object{"type": "array", "minItems": 1, "items": one},
		object{"type": "object", "minProperties": 1, "additionalProperties": anyOf(append(headed["anyOf"].([]any), several)...)})
	all["description"] = s.Doc
	return all
}

// required tells whether a directive says nothing without arguments.
func required(s directive.Spec) bool {
	for _, a := range s.Args {
		if a.Required {
			return true
		}
	}
	return s.Positional != ""
}

// arguments is the form of a directive with names.
func arguments(s directive.Spec, heads []string) object {
	properties := object{}
	must := append([]string{}, heads...)
	for _, h := range heads {
		properties[h] = object{"type": "string", "description": "of " + s.Positional}
	}
	for _, a := range s.Args {
		properties[a.Name] = argument(a)
		if a.Required {
			must = append(must, a.Name)
		}
	}
	return closed(properties, must...)
}

func argument(a directive.ArgSpec) object {
	var o object
	switch {
	case a.Flag:
		o = object{"type": "boolean"}
	case a.Values != nil:
		values := []any{}
		for _, v := range a.Values {
			values = append(values, v)
		}
		if strings.Join(a.Values, "|") == "true|false" {
			values = append(values, true, false)
		}
		o = object{"enum": values}
	case a.List:
		forms := []any{ref("text"), object{"type": "array", "minItems": 1, "items": ref("text")}}
		if a.Pair != "" {
			value := ref("text")
			if a.Groups {
				value = anyOf(ref("text"), object{"type": "array", "minItems": 1, "items": ref("text")})
			}
			forms = append(forms, object{"type": "object", "minProperties": 1, "additionalProperties": value})
		}
		o = anyOf(forms...)
	default:
		o = object{"type": []string{"string", "number", "boolean"}}
	}
	o["description"] = a.Doc
	if a.Syntax != "" && !a.Flag {
		o["description"] = a.Doc + " (" + a.Syntax + ")"
	}
	if a.Default != "" {
		o["default"] = a.Default
	}
	return o
}
