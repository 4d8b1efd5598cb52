# Every command of the project. `make` alone explains them.

export SWIFT ?= swift
BIN = .build/debug/brume
RELEASE = .build/release/brume
SIMULATION = .build/optimised/brume-simulate
APART = BrumeStorageTests|BrumePushTests|BrumeDeliveryTests|BrumeTestingTests|DocumentationTests|BrumeServerTests|EndToEndTests$(if $(CHECKED),|TidyTests)
# A crash in a test should end the test, not hold a debugger.
export SWIFT_BACKTRACE ?= enable=no
# Where the programs are that are tested; .build/optimised after `make optimised`.
export TESTED ?= .build/debug
# Of all debug builds; with others than before, all is compiled again.
export BUILD_FLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help run demo test tests-built optimised simulate simulator fuzz fuzzer soak check bench dist dist-test image-test format docs

# Builds what `run` and `demo` start. SwiftPM's progress is worth seeing only when there is much.
define build
@scripts/prepare
@test -x $(BIN) || echo "building; the first time takes some minutes" >&2
@$(SWIFT) build $(BUILD_FLAGS) --product brume >&2
endef

help: ## Explain the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' \
	  | awk -F '\t' '{ printf "  make %-10s %s\n", $$1, $$2 }'

run: ## Start a development server and print all that a client needs
	$(build)
	@exec $(BIN) serve --dev $(ARGS)

demo: ## Play the documented scenarios against a throw-away server
	$(build)
	@exec $(BIN) demo $(ARGS)

tests-built:
	@scripts/prepare tests
	$(SWIFT) build $(BUILD_FLAGS) --build-tests

# CHECKED=yes: `make check` has run the house rules.
test: $(if $(BUILT),,tests-built) ## Run all the tests
	@# What waits for a disk, a socket or another task runs beside what computes, in processes of their own.
	scripts/swift-test --filter BrumeStorageTests + --skip '$(APART)' + --filter 'BrumeServerTests|EndToEndTests' \
	  + --filter 'BrumePushTests|BrumeDeliveryTests|BrumeTestingTests|DocumentationTests'
	@scripts/more-tests $(TESTED)/brume

# Optimised, a seed takes a third of the time. Seeds that there was no time for fail, as do planted faults that are not found.
simulate: simulator ## Run 5,000 seeds of the simulation, in some three minutes (Linux; `make test` runs as many as 40 s allow)
	$(SIMULATION) --first 1 --seeds 20 --repeats
	@# Faults are planted one after the other, on one core.
	$(SIMULATION) --controls & controls=$$!; \
	  $(SIMULATION) --first 1 --seeds 5000 --seconds 600 --jobs $$(getconf _NPROCESSORS_ONLN) \
	  && wait $$controls || { kill $$controls 2>/dev/null; exit 1; }

# What `simulate` begins with. BUILT=yes, as with `test`: the ordinary build is there, and is not asked for again.
simulator:
	@scripts/prepare
	scripts/optimised brume-simulate --jobs $$(getconf _NPROCESSORS_ONLN) $(if $(BUILT),--built)

# Everything that is tested, in half of the time of a debug build.
optimised: tests-built
	scripts/optimised brume-simulate brume brumePackageTests --jobs $$(getconf _NPROCESSORS_ONLN) --built

fuzz: ## Search every reader of bytes for SECONDS=60 each, led by coverage, after planted faults (Linux)
	@scripts/prepare
	scripts/fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),0) --jobs $(or $(JOBS),$$(getconf _NPROCESSORS_ONLN))

# What `fuzz` begins with.
fuzzer:
	@scripts/prepare
	scripts/fuzz --build --jobs $$(getconf _NPROCESSORS_ONLN) $(if $(BUILT),--built)

soak: ## Run every machine's long form, and print one table (TIME=3h: for how long; ONLY=kill9,rot: which)
	@scripts/prepare tests
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	scripts/optimised brume-simulate --jobs $$(getconf _NPROCESSORS_ONLN)
	$(SWIFT) build -c release --product brume
	@exec python3 Tests/Independent/soak.py --time "$(TIME)" --only "$(ONLY)"

check: ## Check format, layering and house rules
	@scripts/prepare
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests
	$(SWIFT) build $(BUILD_FLAGS) --build-tests --explicit-target-dependency-import-check error
	scripts/swift-test --filter Tidy
	@scripts/api-coverage --least 98,95

bench: ## Measure the server beside raw SQLite and others, as one table (ARGS=--tiny: does it run? ARGS=--growth: how cost grows)
	@scripts/prepare bench
	$(SWIFT) build -c release --product brume
	@# All of the package: the reference matcher is a program of its own.
	$(SWIFT) build -c release --package-path Benchmarks
	@exec "$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)/BrumeBench" \
	  "$(CURDIR)/$(RELEASE)" $(ARGS)

dist: ## Make what is downloaded: stripped programs in archives, checksums, SBOM (ARGS="--url URL": with a Homebrew formula)
	@scripts/prepare
	@exec scripts/dist --measure $(ARGS)

dist-test: ## The same, tried in a bare Debian root, with the steps of Deploy/action and of the formula (root)
	@scripts/prepare image
	@exec python3 Tests/Image/dist.py $(ARGS)

image-test: ## Build the container image without Docker and run it (root, as long as a release build)
	@scripts/prepare image
	@exec python3 Tests/Image/run.py $(ARGS)

format: ## Format the sources in place
	$(SWIFT) format format --in-place --parallel --recursive Package.swift Sources Tests

docs: ## Build the SDK's documentation into .build/docs
	@scripts/prepare
	@scripts/docs
