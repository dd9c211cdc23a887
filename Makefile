# Everything happens in .venv: a fresh machine needs Python 3.11 or newer, and make. `make run` installs
# what the tour needs, everything else the locked packages of constraints.txt. The C kernels
# are compiled with the machine's compiler, and where there is none with the ziglang wheel.

PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
BIN := .venv/bin
TOUR := .venv/tour
INSTALLED := .venv/installed
COMPILED := .venv/compiled
READY := $(INSTALLED) $(COMPILED)
KERNELS := $(wildcard kanon_tui/core/kernels/c/*.[ch])
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
HASHED := --require-hashes --only-binary :all: --requirement

.PHONY: run test test-quick test-pythons test-browser test-sanitized fuzz check lint budgets format bench papers docs screenshots screenshots-browser lock wheels sbom header clean

run: $(TOUR) $(COMPILED)  ## open the application on the bundled census sample
	$(BIN)/kanon-tui demo census

TRIES ?= 1
test: $(READY)  ## run every test; TRIES=5 makes five times as many random tries of what is slow
	TRIES=$(TRIES) $(BIN)/pytest

test-quick: $(READY)  ## the tests that take under a minute: no screens, no commands, no slow twins
	$(BIN)/pytest -m "not slow"

test-pythons: $(READY)  ## kernels, a run and a screen on every supported Python here; ROOTS='/srv/trixie /srv/sid', SUITE=1
	$(BIN)/python -m tests.pythons $(if $(SUITE),--suite) $(ROOTS:%=--root %)

SECONDS ?= 60
fuzz: $(READY)  ## random files, projects, command lines, tables, keys and signals; SECONDS=600, SEED=17, TARGET=readers
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(TARGET),--target '$(TARGET)')

BROWSER_INSTALLED := .venv/browser-installed
test-browser: $(BROWSER_INSTALLED)  ## the application in headless Chromium; CHROMIUM=/path/to/it where it is not found
	$(BIN)/pytest -n 0 tests/browser/walks.py

SANITIZED := build/sanitized/libkanon.so
KERNEL_TESTS := tests/core/kernels tests/core/algorithms tests/core/clustering tests/core/lattice
test-sanitized: $(READY)  ## the tests and twins of the kernels, and fuzzing, on a build with sanitizers (needs gcc)
	$(BIN)/python hatch_build.py --sanitized $(SANITIZED)
	$(WITH_SANITIZERS) $(BIN)/pytest --kernels $(SANITIZED) $(KERNEL_TESTS)
	$(WITH_SANITIZERS) $(BIN)/python -m tests.fuzz --kernels $(SANITIZED) --target kernels --seconds $(SECONDS)
WITH_SANITIZERS = ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)"

check: lint  ## lint, format, types, imports, then the tests
	$(BIN)/pytest

lint: $(READY)  ## lint, format, types and imports, without the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(KERNELS)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

budgets: $(READY)  ## what makes code hard to inherit, measured, beside its budgets
	$(BIN)/python -m tests.budgets

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(KERNELS)

SIZES ?= 100000
bench: $(READY)  ## what people wait for, against the floor; renews docs/benchmarks.md; SIZES='100000 1000000', MILLION=1
	$(BIN)/python -m benchmarks --renew --first-use --sizes $(SIZES) $(if $(MILLION),--million)

bench-all: $(READY)  ## every timing, which takes long; nothing here is asserted
	$(BIN)/python -m benchmarks --all

bench-peers: $(READY)  ## the same data by anonypy, anjana and pycanon, installed into a folder that is thrown away
	$(BIN)/python -m benchmarks.peers --renew

papers: $(READY)  ## every figure and claim of the papers, in a minute; renews docs/papers.md
	$(BIN)/python -m benchmarks.papers --renew

docs: $(READY)  ## the documentation as a site in build/site, with search, readable without a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

screenshots: $(READY)  ## the pictures of README and docs, from the real application
	$(BIN)/python -m docs.make_screenshots

screenshots-browser: $(BROWSER_INSTALLED)  ## the picture of the application in Chromium
	$(BIN)/python -m docs.make_browser_screenshot

LOCKED := --universal --upgrade --generate-hashes --no-header --no-annotate --quiet
lock: $(READY)  ## the newest versions that the ranges allow, with the hashes of their files, for every system and tried on each Python
	$(PIP) $(HASHED) packaging/wheels/requirements.txt
	$(BIN)/uv pip compile pyproject.toml --extra dev $(LOCKED) --output-file constraints.txt
	$(BIN)/uv pip compile pyproject.toml packaging/tour/requirements.in --extra analysis --constraint constraints.txt $(LOCKED) --output-file packaging/tour/requirements.txt
	$(BIN)/uv pip compile packaging/compiler/requirements.in $(LOCKED) --output-file packaging/compiler/requirements.txt
	$(BIN)/uv pip compile packaging/wheels/requirements.in --constraint constraints.txt $(LOCKED) --output-file packaging/wheels/requirements.txt
	$(BIN)/uv pip compile pyproject.toml packaging/wheels/tests.in --extra analysis --constraint constraints.txt $(LOCKED) --output-file packaging/wheels/tests.txt
	$(BIN)/uv pip compile tests/browser/requirements.in --constraint constraints.txt $(LOCKED) --output-file tests/browser/requirements.txt
	$(BIN)/python -m tests.pythons --suite --required $(ROOTS:%=--root %)

wheels: $(READY)  ## wheels for Linux (glibc and musl), macOS and Windows in dist, compiled here by zig; TARGETS='musl-arm64'
	$(PIP) $(HASHED) packaging/compiler/requirements.txt
	$(BIN)/python packaging/make_wheels.py $(TARGETS)

sbom:  ## the bill of materials in CycloneDX form, from the lock file: build/kanon-tui.cdx.json
	@mkdir -p build
	$(PYTHON) packaging/make_sbom.py > build/kanon-tui.cdx.json

HEADER := kanon_tui/core/kernels/c/declarations.h
header:  ## the C header of the kernels, from their Python declarations
	@mkdir -p build
	$(BIN)/python packaging/make_header.py > build/declarations.h && mv build/declarations.h $(HEADER)

clean:
	rm -rf kanon_tui/core/kernels/c/libkanon.* .venv .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist

$(TOUR): pyproject.toml packaging/tour/requirements.txt
	@if [ -z "$(PYTHON)" ]; then \
		echo "Kanon needs Python 3.11 or newer, found: $$(python3 --version 2>&1 || echo none). Install one, or say which: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Kanon needs Python 3.11 or newer, $(PYTHON) is $$($(PYTHON) --version 2>&1). Say which to use: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	}
	$(PYTHON) -m venv .venv
	$(PIP) $(HASHED) packaging/tour/requirements.txt
	@if ! $(PYTHON) hatch_build.py --find-compiler >/dev/null 2>&1; then \
		$(PIP) $(HASHED) packaging/compiler/requirements.txt || { \
			echo "Kanon's kernels are C: there is no C compiler here, and the ziglang package could not be installed instead. Install gcc or clang, or name one: make CC=/path/to/cc" >&2; \
			exit 1; \
		}; \
	fi
	$(PIP) --no-index --no-deps --no-build-isolation --editable .
	@touch $(TOUR)

$(INSTALLED): $(TOUR) constraints.txt
	$(PIP) $(HASHED) constraints.txt
	@touch $(INSTALLED)

$(COMPILED): $(TOUR) hatch_build.py $(KERNELS)
	$(BIN)/python hatch_build.py
	@touch $(COMPILED)

$(BROWSER_INSTALLED): $(READY) tests/browser/requirements.txt
	$(PIP) $(HASHED) tests/browser/requirements.txt
	@touch $(BROWSER_INSTALLED)
