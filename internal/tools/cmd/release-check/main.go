// Command release-check publishes the modules of this repository to a folder used
// as module proxy and runs the README's tour in an empty folder that gets idemgen
// from there; then, in another, idemgen init and the steps that it prints. It exits 1
// if a step fails or prints something else than shown.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/internal/tools/release"
)

func main() {
	root := flag.String("root", ".", "`folder` of the repository")
	readme := flag.String("readme", "README.md", "`file` with the tour, relative to the root")
	version := flag.String("version", "v0.1.0", "`version` to publish as")
	keep := flag.Bool("keep", false, "keep the temporary folder and print its name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := check(ctx, *root, *readme, *version, *keep); err != nil {
		fmt.Fprintf(os.Stderr, "release-check: %v\n", err)
		os.Exit(1)
	}
	fmt.Println("release-check: the tour works as the README shows it, and so does what idemgen init prints")
}

func check(ctx context.Context, root, readme, version string, keep bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(readme) {
		readme = filepath.Join(root, readme)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	tour, err := release.ParseTour(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", readme, err)
	}
	mods, err := release.ReadModules(root)
	if err != nil {
		return err
	}
	if err := release.CheckVersions(mods, version); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "idemgen-release-")
	if err != nil {
		return err
	}
	if keep {
		fmt.Println("release-check: working in", tmp)
	} else {
		defer os.RemoveAll(tmp)
	}
	proxy, cache, work, home := filepath.Join(tmp, "proxy"), filepath.Join(tmp, "modcache"), filepath.Join(tmp, "tour"), filepath.Join(tmp, "home")
	for _, dir := range []string{proxy, cache, work, home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := release.Publish(root, proxy, version, mods); err != nil {
		return err
	}
	for _, m := range mods {
		if m.Published() {
			fmt.Printf("release-check: published %s@%s\n", m.Path, version)
		}
	}
	env := release.Env(os.Environ(), proxy, cache, home, goenv)
	if err := tour.Walk(ctx, work, env, os.Stdout); err != nil {
		return err
	}
	for i, way := range release.Ways {
		newcomer := filepath.Join(tmp, fmt.Sprint("newcomer", i))
		if err := os.Mkdir(newcomer, 0o755); err != nil {
			return err
		}
		if err := release.WalkInit(ctx, newcomer, way, env, os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// goenv asks the go command for one of its settings.
func goenv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
