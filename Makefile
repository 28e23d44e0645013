# Every target sets up what it needs; `make help` lists them.

BUILD        = build
PREFIX       = /usr/local
DESTDIR      =
FUZZ_SECONDS = 60
SETUP        = yes
PYTHON       = /usr/bin/python3
T            =
N            = 100
SEED         = 1
FOLDER       = src

# In CI, warnings are errors.
CONFIGURE := $(if $(filter true 1,$(CI)),-DKITH_WERROR=ON)

.PHONY: all help demo test test-browser bench lint fuzz asan tsan install clean
.PHONY: coverage valgrind mutants setup-valgrind setup-mutants
.PHONY: faults python install-python setup-python
.PHONY: setup-build setup-test setup-browser setup-lint setup-fuzz setup-bench
.NOTPARALLEL: # apt-get cannot run twice at once; ninja uses all cores

all: setup-build ## build the library and the command, into build/
	@$(call build,release,$(BUILD))

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { \
		printf "make %-13s%s\n", $$1 == "all" ? "" : $$1, $$2 }' \
		$(firstword $(MAKEFILE_LIST))

demo: all ## show what Kith does, on two small graphs
	@scripts/demo.sh $(BUILD)/kith

test: setup-test all ## run all tests; T=word runs those that match
	@tests/run.sh $(BUILD) $(T)

test-browser: setup-browser all ## open the HTML pages in headless Chromium
	@tests/browser/run.sh $(BUILD)

bench: all setup-bench ## measure reading, building and the methods beside peers
	@bench/run.sh $(BUILD)

lint: setup-build setup-lint ## check format, layers, complexity, static analysis
	@tests/lint/lint.sh

fuzz: setup-build setup-fuzz ## fuzz each reader for FUZZ_SECONDS=60
	@$(call build,fuzz,build-fuzz)
	@tests/fuzz/run.sh build-fuzz $(FUZZ_SECONDS) $(T)

asan: setup-test ## run all tests under AddressSanitizer and UBSan
	@$(call build,asan,build-asan)
	@tests/run.sh build-asan $(T)

tsan: setup-test setup-fuzz ## run the unit tests under ThreadSanitizer
	@$(call build,tsan,build-tsan)
	@KINDS=unit tests/run.sh build-tsan $(T)

coverage: setup-test ## run all tests; tell which lines and branches ran
	@$(call build,coverage,build-coverage)
	@tests/coverage/run.sh build-coverage $(T)

valgrind: setup-test setup-valgrind ## run all tests under valgrind; KINDS="unit cli", T=word
	@$(call build,dev,build-dev)
	@WRAP=valgrind LIMIT=7200 tests/run.sh build-dev $(T)

mutants: setup-test setup-mutants ## change N=100 places by SEED=1 below FOLDER=src: do tests fail?
	@N=$(N) SEED=$(SEED) FOLDER="$(FOLDER)" tests/mutants/mutants.py

faults: setup-test all ## kill, starve and mislead commands; table in docs/reliability.md
	@TABLE=$(if $(filter short,$(FAULTS)),,docs/reliability.md) \
		tests/faults/run.sh $(BUILD) $(T)

install: all ## install below PREFIX=/usr/local (and DESTDIR=)
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

python: setup-python all ## build the Python package: one wheel, into build/wheel
	@rm -rf $(BUILD)/wheel && mkdir -p $(BUILD)/wheel
	@cd python && KITH_BUILD=$(abspath $(BUILD)) $(PYTHON) -m build --wheel \
		--no-isolation --outdir $(abspath $(BUILD))/wheel . >$(abspath $(BUILD))/wheel.log \
		2>&1 || { cat $(abspath $(BUILD))/wheel.log; exit 1; }
	@ls $(BUILD)/wheel/*.whl

install-python: python ## install the wheel where PYTHON looks, or below DESTDIR and PREFIX
	@scripts/install-wheel.sh $(PYTHON) $(BUILD)/wheel/*.whl "$(DESTDIR)" "$(PREFIX)"

clean: ## remove everything that was built
	rm -rf $(BUILD) build-*

setup-build setup-test setup-browser setup-lint setup-fuzz setup-bench \
setup-valgrind setup-mutants setup-python: setup-%:
	@$(if $(filter yes,$(SETUP)),scripts/setup.sh $*)

# $(call build,PRESET,FOLDER): configure if that has not been done, then build.
define build
{ test -f $(2)/build.ninja && test -z "$(CONFIGURE)"; } || \
	cmake --preset $(1) -B $(2) $(CONFIGURE) >$(2).log 2>&1 || \
	{ cat $(2).log; rm -f $(2).log; exit 1; }; \
rm -f $(2).log; \
cmake --build $(2)
endef
