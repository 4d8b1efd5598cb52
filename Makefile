# Every command of the project. `make` alone explains them.

SWIFT ?= swift
BIN = .build/debug/brume
RELEASE = .build/release/brume
# A crash in a test should end the test, not hold a debugger.
export SWIFT_BACKTRACE ?= enable=no

.DEFAULT_GOAL := help
.PHONY: help run demo test check bench format docs prepare build

help: ## Explain the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' \
	  | awk -F '\t' '{ printf "  make %-8s %s\n", $$1, $$2 }'

run: build ## Start a development server and print all that a client needs
	@exec $(BIN) serve --dev $(ARGS)

demo: build ## Play the documented scenarios against a throw-away server
	@exec $(BIN) demo $(ARGS)

test: prepare ## Run all the tests
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --parallel
	@scripts/more-tests $(BIN)

check: prepare ## Check format, layering and house rules
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	$(SWIFT) build --build-tests --explicit-target-dependency-import-check error
	$(SWIFT) test --skip-build --filter Tidy

bench: prepare ## Measure the server against raw SQLite on the same disk
	$(SWIFT) build -c release --product brume
	@$(SWIFT) run -c release --package-path Benchmarks BrumeBench "$(CURDIR)/$(RELEASE)" $(ARGS)

format: ## Format the sources in place
	$(SWIFT) format format --in-place --recursive Package.swift Sources Tests

docs: prepare ## Build the SDK's documentation into .build/docs
	@scripts/docs

prepare:
	@scripts/prepare

build: prepare
	@test -x $(BIN) || echo "building; the first time takes some minutes"
	@$(SWIFT) build --product brume
