// Package jsonschema checks decoded YAML against the part of JSON schema (draft 7)
// that idem.schema.json uses, for tests. A keyword that it does not know is an error
// of Parse, so that no rule of the schema goes unchecked.
package jsonschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Schema is a parsed schema.
type Schema struct{ root map[string]any }

// keywords are the ones that count, and those that say nothing about validity.
var keywords = map[string]bool{
	"type": true, "properties": true, "additionalProperties": true, "required": true, "anyOf": true, "enum": true, "const": true,
	"items": true, "minItems": true, "minProperties": true, "$ref": true,
	"$schema": false, "title": false, "description": false, "definitions": false, "default": false,
}

// Parse reads a schema and refuses keywords that Validate would ignore.
func Parse(src []byte) (*Schema, error) {
	s := &Schema{}
	if err := json.Unmarshal(src, &s.root); err != nil {
		return nil, err
	}
	return s, known(s.root)
}

func known(schema map[string]any) error {
	for k, v := range schema {
		if _, ok := keywords[k]; !ok {
			return fmt.Errorf("unknown keyword %s", k)
		}
		var inner []any
		switch k {
		case "properties", "definitions":
			inner = slices.Collect(maps.Values(v.(map[string]any)))
		case "anyOf":
			inner = v.([]any)
		case "items", "additionalProperties":
			inner = []any{v}
		}
		for _, x := range inner {
			if m, ok := x.(map[string]any); ok {
				if err := known(m); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Validate says what is wrong with a value, as yaml decodes it; nil for nothing.
func (s *Schema) Validate(v any) []string { return s.check(s.root, v, "") }

func (s *Schema) check(schema map[string]any, v any, at string) (faults []string) {
	fail := func(format string, args ...any) {
		faults = append(faults, at+": "+fmt.Sprintf(format, args...))
	}
	if r, ok := schema["$ref"].(string); ok {
		def, _ := s.root["definitions"].(map[string]any)[strings.TrimPrefix(r, "#/definitions/")].(map[string]any)
		if def == nil {
			fail("no definition %s", r)
			return faults
		}
		faults = append(faults, s.check(def, v, at)...)
	}
	if t, ok := schema["type"]; ok && !isType(t, v) {
		fail("%v wanted, found %T", t, v)
		return faults
	}
	if c, ok := schema["const"]; ok && !same(c, v) {
		fail("%v wanted", c)
	}
	if e, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(e, func(x any) bool { return same(x, v) }) {
		fail("one of %v wanted, found %v", e, v)
	}
	if list, ok := schema["anyOf"].([]any); ok {
		var all []string
		fits := slices.ContainsFunc(list, func(x any) bool {
			bad := s.check(x.(map[string]any), v, at)
			all = append(all, bad...)
			return len(bad) == 0
		})
		if !fits {
			faults = append(faults, all...)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		faults = append(faults, s.mapping(schema, v, at)...)
	case []any:
		if n, ok := schema["minItems"].(float64); ok && len(v) < int(n) {
			fail("%v items wanted", n)
		}
		if items, ok := schema["items"].(map[string]any); ok {
			for i, x := range v {
				faults = append(faults, s.check(items, x, fmt.Sprintf("%s[%d]", at, i))...)
			}
		}
	}
	return faults
}

func (s *Schema) mapping(schema, v map[string]any, at string) (faults []string) {
	if n, ok := schema["minProperties"].(float64); ok && len(v) < int(n) {
		faults = append(faults, fmt.Sprintf("%s: %v keys wanted", at, n))
	}
	if list, ok := schema["required"].([]any); ok {
		for _, name := range list {
			if _, there := v[name.(string)]; !there {
				faults = append(faults, fmt.Sprintf("%s: %s is missing", at, name))
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(v)) {
		inner, ok := properties[key].(map[string]any)
		if !ok {
			switch more := schema["additionalProperties"].(type) {
			case bool:
				if !more {
					faults = append(faults, fmt.Sprintf("%s: unknown key %s", at, key))
				}
				continue
			case map[string]any:
				inner = more
			default:
				continue
			}
		}
		faults = append(faults, s.check(inner, v[key], at+"/"+key)...)
	}
	return faults
}

func isType(t, v any) bool {
	if list, ok := t.([]any); ok {
		return slices.ContainsFunc(list, func(x any) bool { return isType(x, v) })
	}
	switch v.(type) {
	case nil:
		return t == "null"
	case string:
		return t == "string"
	case bool:
		return t == "boolean"
	case int, int64, uint64, float64:
		return t == "number"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	}
	return false
}

// same compares a JSON value with one of YAML, whose numbers have other types.
func same(a, b any) bool {
	if f, ok := a.(float64); ok {
		i, isInt := b.(int)
		return isInt && f == float64(i)
	}
	return reflect.DeepEqual(a, b)
}
