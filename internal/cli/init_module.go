package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/internal/outfile"
)

// goCommand runs the go command in a folder.
func (in *initializer) goCommand(ctx context.Context, dir string, args ...string) (stdout []byte, err error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(said.String())
		if text == "" {
			text = err.Error()
		}
		return nil, errors.New(text)
	}
	return out, nil
}

// findModule finds the module that the folder belongs to, and its tools.
func (in *initializer) findModule(ctx context.Context) error {
	there := in.dir // the folder itself may not be there yet
	for {
		info, err := os.Stat(there)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, not a folder", in.rel(there))
		}
		if err == nil {
			break
		}
		if parent := filepath.Dir(there); parent != there {
			there = parent
			continue
		}
		return fmt.Errorf("%s: no such folder", in.rel(in.dir))
	}
	out, err := in.goCommand(ctx, there, "env", "-json", "GOMOD", "GOWORK", "GOFLAGS")
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	var env struct{ GOMOD, GOWORK, GOFLAGS string }
	if err := json.Unmarshal(out, &env); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	gomod := env.GOMOD
	if env.GOWORK != "off" {
		in.work = env.GOWORK
	}
	if gomod == "" || gomod == os.DevNull {
		return fmt.Errorf("%s is in no module: run 'go mod init example.com/yours' first, with the path that your module is to have", in.rel(there))
	}
	in.root = filepath.Dir(gomod)
	mod, err := in.readMod(ctx, gomod)
	if err != nil {
		return err
	}
	in.module, in.hasTool, in.hasLib = mod.Module.Path, mod.tool(), mod.lib()
	inside, err := filepath.Rel(in.root, in.dir)
	if err != nil || !filepath.IsLocal(inside) {
		return fmt.Errorf("%s is outside of the module in %s", in.rel(in.dir), in.rel(in.root))
	}
	in.path = path.Join(in.module, filepath.ToSlash(inside))
	in.findVendor(env.GOFLAGS)
	return in.findModfile(ctx)
}

// modInfo is what go mod edit -json tells of a go.mod.
type modInfo struct {
	Module  struct{ Path string }
	Require []struct{ Path string }
	Tool    []struct{ Path string }
}

func (m *modInfo) tool() bool {
	return slices.ContainsFunc(m.Tool, func(t struct{ Path string }) bool { return t.Path == toolPath })
}

func (m *modInfo) lib() bool {
	return m.Module.Path == modulePath || slices.ContainsFunc(m.Require, func(r struct{ Path string }) bool { return r.Path == modulePath })
}

func (in *initializer) readMod(ctx context.Context, file string) (*modInfo, error) {
	out, err := in.goCommand(ctx, in.root, "mod", "edit", "-json", file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.rel(file), err)
	}
	mod := new(modInfo)
	if err := json.Unmarshal(out, mod); err != nil {
		return nil, fmt.Errorf("%s: %w", in.rel(file), err)
	}
	return mod, nil
}

// findModfile finds the file that -modfile names, and whether the tool is in it.
func (in *initializer) findModfile(ctx context.Context) error {
	name := in.opts.modfile
	if name == "" {
		return nil
	}
	if in.modfile = filepath.FromSlash(name); !filepath.IsAbs(in.modfile) {
		in.modfile = filepath.Join(in.opts.dir, in.modfile)
	}
	switch {
	case filepath.Ext(name) != ".mod":
		return fmt.Errorf("-modfile=%s: the go command wants a name that ends in .mod, such as tools.mod", name)
	case in.modfile == filepath.Join(in.root, "go.mod"):
		in.modfile = ""
		return nil
	case in.vendorArgs != nil:
		return fmt.Errorf("-modfile=%s: the go command takes no other go.mod beside a vendor folder: run init without it", name)
	case in.work != "":
		return fmt.Errorf("-modfile=%s: the go command takes no other go.mod in a workspace (%s): run init without it, or with GOWORK=off", name, in.rel(in.work))
	}
	in.hasTool = false
	if _, err := os.Stat(in.modfile); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil // it becomes a copy of go.mod
		}
		return err
	}
	mod, err := in.readMod(ctx, in.modfile)
	if err == nil {
		in.hasTool = mod.tool()
	}
	return err
}

// copyMod makes the file of -modfile and its sums of those of go.mod.
func (in *initializer) copyMod() error {
	if _, err := os.Stat(in.modfile); err == nil {
		return nil
	}
	for _, f := range [][2]string{{"go.mod", in.modfile}, {"go.sum", sumOf(in.modfile)}} {
		data, err := os.ReadFile(filepath.Join(in.root, f[0]))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(f[1], data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sumOf is the file of sums beside a go.mod.
func sumOf(modfile string) string { return strings.TrimSuffix(modfile, ".mod") + ".sum" }

// addTool has the go command add idemgen to the tools of go.mod, or of the file of
// -modfile and its runtime to go.mod, at the version that runs.
func (in *initializer) addTool(ctx context.Context) error {
	if in.module == modulePath {
		return nil
	}
	version := "latest"
	if info, ok := debug.ReadBuildInfo(); ok && released.MatchString(moduleVersion(info)) {
		version = moduleVersion(info)
	}
	var gets [][]string
	if !in.hasTool {
		args := []string{"get", "-tool", toolPath + "@" + version}
		if in.modfile != "" {
			if err := in.copyMod(); err != nil {
				return err
			}
			args = slices.Insert(args, 1, "-modfile="+in.modfile)
		}
		gets = append(gets, args)
	}
	if in.modfile != "" && !in.hasLib {
		gets = append(gets, []string{"get", modulePath + "/runtime/idem@" + version})
	}
	for _, args := range gets {
		in.note("running go %s", strings.Join(args, " "))
		if _, err := in.goCommand(ctx, in.root, args...); err != nil {
			return fmt.Errorf("idemgen could not be added to %s, so that nothing was changed:\n\n\t%s\n\nrun this when it can be reached, then init again:\n\n\tgo %s",
				in.toolFile(), strings.ReplaceAll(err.Error(), "\n", "\n\t"), strings.Join(args, " "))
		}
	}
	return nil
}

// toolFile names the file that has the tool line.
func (in *initializer) toolFile() string {
	if in.modfile == "" {
		return "go.mod"
	}
	return in.rel(in.modfile)
}

// findVendor finds whether the go command builds from a vendor folder here, and what
// brings that up to date.
func (in *initializer) findVendor(goflags string) {
	folder, args := in.root, []string{"mod", "vendor"}
	if in.work != "" {
		folder, args = filepath.Dir(in.work), []string{"work", "vendor"}
	}
	mode := ""
	for _, f := range strings.Fields(goflags) {
		if m, is := strings.CutPrefix("-"+strings.TrimLeft(f, "-"), "-mod="); is {
			mode = m
		}
	}
	_, err := os.Stat(filepath.Join(folder, "vendor", "modules.txt"))
	if mode == "vendor" || mode == "" && err == nil {
		in.vendorArgs = args
	}
}

// vendor brings the vendor folder up to date, where there is one: without it the go
// command builds neither the sample nor anything else.
func (in *initializer) vendor(ctx context.Context) error {
	if in.vendorArgs == nil {
		return nil
	}
	line := "go " + strings.Join(in.vendorArgs, " ")
	in.note("running %s", line)
	in.vendored = true
	if _, err := in.goCommand(ctx, in.root, in.vendorArgs...); err != nil {
		return fmt.Errorf("%s failed, so that nothing was changed:\n\n\t%s", line, strings.ReplaceAll(err.Error(), "\n", "\n\t"))
	}
	return nil
}

// remember reads the files that the go command may change. One that is not there is
// an orphan should it come.
func (in *initializer) remember() ([]outfile.Change, error) {
	names := []string{filepath.Join(in.root, "go.mod"), filepath.Join(in.root, "go.sum")}
	if in.work != "" {
		names = append(names, in.work, in.work+".sum")
	}
	if in.modfile != "" {
		names = append(names, in.modfile, sumOf(in.modfile))
	}
	var all []outfile.Change
	for _, name := range names {
		c := outfile.Change{Path: name, State: outfile.Orphan}
		if info, err := os.Stat(name); err == nil {
			c.State, c.Mode = outfile.Stale, info.Mode().Perm()
			if c.New, err = os.ReadFile(name); err != nil {
				return nil, err
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// changedSince are the changes that bring files back to what is remembered of them.
func changedSince(before []outfile.Change) []outfile.Change {
	var changed []outfile.Change
	for _, c := range before {
		now, err := os.ReadFile(c.Path)
		switch there := err == nil; {
		case there && !bytes.Equal(now, c.New), there && c.State == outfile.Orphan:
			c.Old = now
		case !there && c.State == outfile.Stale:
			c.State = outfile.Missing
		default:
			continue
		}
		changed = append(changed, c)
	}
	return changed
}
