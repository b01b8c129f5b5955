// Package gen races the generator against goverter, mockery and moq on the same tree of
// packages, made by a program: wall clock, processor time and peak memory of each as a
// process, with what it starts.
package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Methods is how many methods each package has.
const Methods = 20

// Tree is a module of packages, all alike.
type Tree struct {
	Dir       string
	Packages  int
	Annotated int // of the packages; the others have no directive
	Bytes     int64
}

// MakeTree writes a tree into an empty folder: each package has a service of 20 methods
// (for idemgen), an interface of the same (for mockery and moq) and a converter (for
// goverter). repository is the folder of this repository.
func MakeTree(dir, repository string, packages, annotated int) (Tree, error) {
	t := Tree{Dir: dir, Packages: packages, Annotated: annotated}
	gomod := fmt.Sprintf("module example.com/tree\n\ngo 1.26\n\nrequire github.com/idemgen/idemgen v0.1.0\n\nreplace github.com/idemgen/idemgen => %s\n", repository)
	if err := t.write("go.mod", gomod); err != nil {
		return t, err
	}
	for i := range packages {
		name := fmt.Sprintf("p%04d", i)
		for file, text := range map[string]string{"service.go": service(name, i < annotated), "api.go": api(name), "converter.go": converter(name)} {
			if err := t.write(filepath.Join(name, file), text); err != nil {
				return t, err
			}
		}
	}
	config := "all: false\ndir: '{{.InterfaceDir}}'\nfilename: mock_gen.go\npkgname: '{{.SrcPackageName}}'\nstructname: 'Mock{{.InterfaceName}}'\nforce-file-write: true\npackages:\n"
	for i := range packages {
		config += fmt.Sprintf("  example.com/tree/p%04d:\n    interfaces:\n      API:\n", i)
	}
	return t, t.write(".mockery.yml", config)
}

func (t *Tree) write(name, text string) error {
	path := filepath.Join(t.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if strings.HasSuffix(name, ".go") {
		t.Bytes += int64(len(text))
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// service is a service as one finds them: bodies are most of it.
func service(pkg string, annotated bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"context\"\n\t\"database/sql\"\n\t\"errors\"\n\t\"fmt\"\n\t\"strings\"\n\t\"time\"\n)\n\n", pkg)
	b.WriteString("// Request is what callers send.\ntype Request struct {\n\tBizNo, Customer string\n\tAmount int64\n\tAt time.Time\n}\n\n// Receipt is what they get.\ntype Receipt struct {\n\tBizNo string\n\tAmount int64\n\tAt time.Time\n}\n\n// Service does the work.\ntype Service struct{ db *sql.DB }\n\n")
	for i := range Methods {
		fmt.Fprintf(&b, "// Do%02d does part %d of the work.\n", i, i)
		if annotated {
			b.WriteString("//\n//idem:once key=req.BizNo\n")
		}
		fmt.Fprintf(&b, `func (s *Service) Do%02d(ctx context.Context, tx *sql.Tx, req *Request) (*Receipt, error) {
	if req == nil || strings.TrimSpace(req.BizNo) == "" {
		return nil, errors.New("bad request")
	}
	rows, err := tx.QueryContext(ctx, "SELECT amount FROM ledger%02d WHERE customer = $1", req.Customer)
	if err != nil {
		return nil, fmt.Errorf("ledger: %%w", err)
	}
	defer rows.Close()
	var total int64
	for rows.Next() {
		var amount int64
		if err := rows.Scan(&amount); err != nil {
			return nil, fmt.Errorf("scan: %%w", err)
		}
		total += amount
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return &Receipt{BizNo: req.BizNo, Amount: total + req.Amount, At: time.Now()}, nil
}

`, i, i)
	}
	return b.String()
}

// api is the same as an interface.
func api(pkg string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"context\"\n\n// API is what Service offers.\ntype API interface {\n", pkg)
	for i := range Methods {
		fmt.Fprintf(&b, "\tDo%02d(ctx context.Context, req *Request) (*Receipt, error)\n", i)
	}
	b.WriteString("}\n")
	return b.String()
}

// converter is twenty conversions between structs.
func converter(pkg string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n// Converter converts.\n//\n// goverter:converter\n// goverter:output:file ./converter_gen.go\n// goverter:output:package example.com/tree/%s\ntype Converter interface {\n", pkg, pkg)
	for i := range Methods {
		fmt.Fprintf(&b, "\tConvert%02d(source In%02d) Out%02d\n", i, i, i)
	}
	b.WriteString("}\n\n")
	for i := range Methods {
		for _, side := range []string{"In", "Out"} {
			fmt.Fprintf(&b, "// %s%02d is one side.\ntype %s%02d struct {\n\tID, Name string\n\tAmount int64\n}\n\n", side, i, side, i)
		}
	}
	return b.String()
}
