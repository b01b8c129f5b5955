# Targets for people; .ci/run is what must pass. Needs Go, git and make.

IDEMGEN := $(CURDIR)/bin/idemgen

.PHONY: help demo test lint golden golden-update bench bench-growth generate release-check idemgen

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /  \1: /p' Makefile

idemgen: ## build the command into bin/
	@mkdir -p bin
	go build -o $(IDEMGEN) ./cmd/idemgen

demo: idemgen ## check, generate, then storm the order service guarded and unguarded
	cd examples && $(IDEMGEN) check ./... && echo 'demo: the checked-in files are current'
	cd examples && $(IDEMGEN) gen -v ./...
	cd examples && go run ./orders/cmd/orders -storm
	cd examples && go run ./orders/cmd/orders -storm -unguarded
	@echo 'demo: ok'

test: ## run the tests of every module with the race detector
	.ci/test

lint: ## run formatters, vet, staticcheck, tidy and idemgen check over every module
	.ci/lint

golden: ## run the golden scenarios alone
	go test ./internal/golden

golden-update: ## rewrite what the golden scenarios want
	go test ./internal/golden -run '^TestGolden$$' -update

bench: ## race idemgen against its peers and write internal/bench/RESULTS.md (under 30 minutes)
	.ci/servers
	cd internal/bench && go test -count=1 -timeout 45m -run '^TestResults$$' . -full

bench-growth: ## measure tables of up to 10 million records and write internal/bench/GROWTH.md
	.ci/servers
	cd internal/bench && go test -count=1 -timeout 90m -run '^TestGrowth$$' ./growth -full

generate: idemgen ## regenerate the checked-in files of every module
	.ci/each $(IDEMGEN) gen -v ./...

release-check: ## publish to a local module proxy and walk the README's tour from there
	cd internal/tools && go run ./cmd/release-check -root $(CURDIR)
