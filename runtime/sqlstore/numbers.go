package sqlstore

import (
	"reflect"
	"strings"
)

// Numbers in errors: whose they are, and how they are found without importing a driver.

// numbering tells whose error number a number is.
type numbering uint8

const (
	noNumber numbering = iota
	sqliteNumber
	mysqlNumber
)

// numberIn finds an error number: a method ExtendedCode or Code (ncruces,
// modernc), or a field as go-sql-driver (Number) and mattn (ExtendedCode, Code)
// have it. Only types of a driver's own package count: a business error may
// have a Code, too.
func numberIn(err error) (n int, of numbering) {
	walk(err, func(e error) bool {
		v := reflect.ValueOf(e)
		in := reflect.Indirect(v)
		if !in.IsValid() {
			return true
		}
		whose, ok := numberingOf(in.Type().PkgPath()), false
		if whose == noNumber {
			return true
		}
		for _, name := range [...]string{"ExtendedCode", "Code", "Number"} {
			if n, ok = integer(named(v, name)); ok {
				of = whose
				return false
			}
		}
		if n, ok = integer(in); ok { // a code that is itself the error
			of = whose
		}
		return !ok
	})
	return n, of
}

// mysqlNumberOf finds an error number of MySQL or MariaDB.
func mysqlNumberOf(err error) (int, bool) {
	n, of := numberIn(err)
	return n, of == mysqlNumber
}

// named is what a method without parameters returns, or what a field holds.
func named(v reflect.Value, name string) reflect.Value {
	if m := v.MethodByName(name); m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
		return m.Call(nil)[0]
	}
	if v = reflect.Indirect(v); v.Kind() == reflect.Struct {
		return v.FieldByName(name)
	}
	return reflect.Value{}
}

func integer(v reflect.Value) (int, bool) {
	switch {
	case !v.IsValid():
		return 0, false
	case v.CanInt():
		return int(v.Int()), true
	case v.CanUint():
		return int(v.Uint()), true
	}
	return 0, false
}

// numberingOf tells a package of a driver whose errors are numbers.
func numberingOf(pkgPath string) numbering {
	switch {
	case strings.Contains(pkgPath, "sqlite"):
		return sqliteNumber
	case strings.Contains(pkgPath, "mysql"), strings.Contains(pkgPath, "mariadb"):
		return mysqlNumber
	}
	return noNumber
}
