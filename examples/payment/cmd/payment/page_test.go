package main

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/servers"
)

// browse opens a page without a window, lets it come to rest, and returns what the browser printed.
func browse(t *testing.T, url string, args ...string) string {
	t.Helper()
	path := servers.Browser(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	all := []string{"--headless=new", "--disable-gpu", "--no-first-run", "--window-size=1280,1000", "--virtual-time-budget=20000", "--user-data-dir=" + t.TempDir()}
	if os.Getuid() == 0 {
		all = append(all, "--no-sandbox") // which root can't have
	}
	cmd := exec.CommandContext(ctx, path, append(append(all, args...), url)...)
	cmd.WaitDelay = 5 * time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, &said)
	}
	return string(out)
}

// The page in a browser: ten clicks on its button are one payment, and without any layer ten.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		name, query string
		payments    string
		shows       []string // counts of what stopped the clicks, and words of the log
	}{
		{"all layers", "clicks=10", "1", []string{`id="count-gate"><b>9</b>`, "paid once", "the first receipt", ">replayed<", ">inserted<"}},
		{"without gate", "clicks=10&off=gate", "1", []string{`id="count-token"><b>9</b>`, "paid once"}},
		{"without gate and token", "clicks=10&off=gate,token", "1", []string{`id="count-record"><b>9</b>`, "paid once", ">replayed<"}},
		{"state machine and index", "clicks=10&off=gate,token,record", "1", []string{`id="count-state"><b>9</b>`, ">duplicate<"}},
		{"index alone", "clicks=10&off=gate,token,record,state", "1", []string{`id="count-index"><b>9</b>`, ">duplicate<"}},
		{"no layer", "clicks=10&off=gate,token,record,state,index", "10", []string{"paid 10 times", "paid again"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ann := open(t, onSQLite(t))
			dom := browse(t, ann.url+"/?"+c.query, "--dump-dom")
			body := regexp.MustCompile(`<body[^>]*>`).FindString(dom)
			for _, want := range append(c.shows, `data-clicks="10"`, `data-answered="10"`, `data-payments="`+c.payments+`"`) {
				if !strings.Contains(dom, want) {
					t.Errorf("the page does not show %s: %s", want, body)
				}
			}
			n, err := s.Payments(t.Context())
			if fmt.Sprint(n) != c.payments || err != nil {
				t.Errorf("%d payments, want %s (%v)", n, c.payments, err)
			}
			if t.Failed() {
				t.Log(dom)
			}
		})
	}
}

// The page is drawn in light and in dark, as the visitor's system wishes.
func TestPageIsDrawn(t *testing.T) {
	_, ann := open(t, onSQLite(t))
	for name, scheme := range map[string]struct {
		flag string
		dark bool
	}{"light": {"preferredColorScheme=1", false}, "dark": {"preferredColorScheme=0", true}} {
		file := filepath.Join(t.TempDir(), "page.png")
		browse(t, ann.url+"/?clicks=3", "--screenshot="+file, "--blink-settings="+scheme.flag)
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		picture, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		ground, colours := look(picture)
		if dark := ground < 0x4000; dark != scheme.dark || colours < 50 {
			t.Errorf("%s: ground %x, %d colours", name, ground, colours)
		}
	}
}

// look tells how light the corner of a picture is, and how many colours it has.
func look(p image.Image) (ground uint32, colours int) {
	seen := map[[3]uint32]bool{}
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y += 2 {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
		}
	}
	r, g, b, _ := p.At(2, 2).RGBA()
	return (r + g + b) / 3, len(seen)
}
