// Package load brings the annotated packages of a run into memory, with as much
// type information as their annotations need and no more.
//
// The flow is prescan (bytes only: which folders mention a directive, or are
// described in an idem.yaml) → list (one `go list`, and none when nothing is
// annotated) → parse (bodies dropped, our own output left out, so that it may be
// missing, stale or broken) → describe (what idem.yaml says, attached as if it had
// been comments) → demand (which declarations, of which packages, the annotated ones
// lead to). Of each package [Package.Resolve] then checks the types (go/types over just
// those, imported packages from their source), and [Package.Release] lets go of them, so
// that what a run holds at once does not grow with all that it reads. A cold build cache
// costs nothing: no package is ever compiled.
package load

import (
	"context"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/model"
	"github.com/idemgen/idemgen/parser/diag"
)

// Config says what to load.
type Config struct {
	// Dir is the folder that patterns and the go command start from; "" is the
	// process's own. Positions are reported relative to it.
	Dir string
	// Tags are build tags, as for the go command's -tags.
	Tags []string
	// Patterns are package patterns; none means ".".
	Patterns []string
	// Env is the environment of the go command; nil is the process's own.
	Env []string
	// Run starts the go command; nil runs it as a child process.
	Run Runner
	// Phase hears the name of each phase as it begins, on the caller's goroutine; nil
	// = nobody does.
	Phase func(name string)
}

// Enter tells Phase that a phase begins.
func (c Config) Enter(phase string) {
	if c.Phase != nil {
		c.Phase(phase)
	}
}

// Result is what Load found.
type Result struct {
	// Packages are the annotated packages, by import path, then plain before
	// test variants. Support packages, which only lend their state machines to
	// others, stand among them.
	Packages []*Package
	// Orphans are the absolute paths of files with our header in the folders
	// of this run whose annotations are gone, sorted. Files that a package in
	// Packages writes again are not among them.
	Orphans []string
	// Dirs are the absolute paths of all folders of this run, sorted.
	Dirs []string
	// Execs counts the go commands that were started: 0 or 1, and one more for each
	// idem.yaml that is found late and imports what no Go file does.
	Execs int
	// Fset holds the positions of all files.
	Fset *token.FileSet
}

// Load finds, lists and parses the annotated packages that the patterns name; their
// types are checked by Resolve. Faults are returned as diagnostics, unsorted; what could be
// loaded all the same is in the result, which is never nil. Load keeps laws G3
// (our own output is never needed) and G7 (build constraints, test packages,
// vendoring and workspaces are the go command's business and are honoured). It
// is safe for concurrent use.
func Load(ctx context.Context, cfg Config) (*Result, []diag.Diagnostic) {
	res := &Result{Fset: token.NewFileSet()}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return res, []diag.Diagnostic{diag.New(diag.CodeRead, model.Pos{}, "can't find the working directory: %v", err)}
	}
	l := &loader{cfg: cfg, res: res, nodes: map[string]*node{}, specs: map[string][]described{}, listed: map[string]*listed{}, sources: map[string]*source{}}
	l.run(ctx)
	slices.Sort(res.Dirs)
	slices.Sort(res.Orphans)
	return res, l.diags
}

func (c Config) withDefaults() (Config, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return c, err
	}
	c.Dir = dir
	if len(c.Patterns) == 0 {
		c.Patterns = []string{"."}
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	if c.Run == nil {
		c.Run = execGo
	}
	return c, nil
}

// loader is the state of one Load.
type loader struct {
	cfg     Config
	res     *Result
	diags   []diag.Diagnostic
	scans   []*dirScan             // folders of the run, in path order
	byDir   map[string]*dirScan    // the same by folder
	listed  map[string]*listed     // by import path
	sources map[string]*source     // parsed files by absolute path
	specs   map[string][]described // what idem.yaml files in and above a folder say
	nodes   map[string]*node       // by node key; nil for a package that can't be opened
	queue   []want                 // demand that was not followed yet
	targets []*node                // annotated packages
	more    func(paths []string)   // lists packages that are not in listed

	importers map[string]bool // import paths that some file of the run imports
}

func (l *loader) report(d ...diag.Diagnostic) { l.diags = append(l.diags, d...) }

func (l *loader) run(ctx context.Context) {
	l.more = func(paths []string) { l.listMore(ctx, paths) }
	l.cfg.Enter("scan")
	scans, exact := l.prescan()
	l.setScans(scans)
	if exact && !slices.ContainsFunc(scans, (*dirScan).mentions) {
		l.res.Orphans = orphans(scans, nil)
		return
	}
	l.cfg.Enter("go list")
	parsed := l.parseAhead()
	roots := l.list(ctx, exact)
	l.cfg.Enter("parse")
	parsed()
	if roots == nil {
		return
	}
	if !exact {
		l.scanRoots(roots)
	}
	l.openTargets(roots)
	l.openSupport()
	l.cfg.Enter("demand")
	l.seed()
	l.dropUnwanted()
	for _, n := range l.targets {
		l.res.Packages = append(l.res.Packages, n.target)
	}
	l.res.Orphans = orphans(l.scans, l.outputs())
}

func (l *loader) setScans(scans []*dirScan) {
	l.scans, l.byDir, l.res.Dirs = scans, map[string]*dirScan{}, nil
	for _, s := range scans {
		l.byDir[s.dir] = s
		l.res.Dirs = append(l.res.Dirs, s.dir)
	}
}

// scanRoots scans the folders of packages that were named by import path, so
// that only the go command could find them.
func (l *loader) scanRoots(roots []*listed) {
	scans := slices.Clone(l.scans)
	for _, p := range roots {
		if p.Dir == "" || l.byDir[p.Dir] != nil || slices.ContainsFunc(scans, func(s *dirScan) bool { return s.dir == p.Dir }) {
			continue
		}
		s := l.scanDir(p.Dir)
		switch {
		case s == nil:
		case !p.foreign():
			scans = append(scans, s)
		case s.mentions():
			l.report(diag.New(diag.CodeOtherModule, model.Pos{}, "%s is annotated, but belongs to another module: %s", p.ImportPath, p.modulePath()).
				WithHint("run idemgen in that module, or name packages of this one"))
		}
	}
	l.setScans(scans)
}

// display is how the user would open a file: relative to the run's folder
// where it lies inside, absolute elsewhere.
func (l *loader) display(path string) string {
	rel, err := filepath.Rel(l.cfg.Dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}
