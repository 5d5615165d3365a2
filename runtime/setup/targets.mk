# targets.mk: targets that use a build: set up, open, test, measure, install.
#
# Targets that set up first build in a second make, because the Makefile looks for tools such as the
# CUDA compiler when make reads it.

# A machine that is set up in another way: make test-gpu SETUP=true PYTHON=python3
SETUP := runtime/setup/setup.sh
PYTHON := $(VENV)/bin/python
JOBS  := $(shell nproc 2>/dev/null || echo 1)
# A make that -j was given to hands its job slots down; else the second make takes all cores.
# Before it starts, the steps to do are counted, so that each says how far the build is.
STEPS_OF = $$($(MAKE) --no-print-directory -n $(1) | grep -c "^printf '  " || :)
MAKE_IT = START=$$(date +%s) TOTAL=$(call STEPS_OF,$(1)) && export START TOTAL && \
    $(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS)) $(1)
BUILD_IT = $(call MAKE_IT,products)

.PHONY: wheel setup jupyter testers behind lab test fuzz bench bench-grade test-gpu bench-gpu bench-gpu-report bench-model bench-model-fit install uninstall

setup:
	@$(SETUP) build lab test

# JupyterLab is installed while the compiler works on what the welcome notebook needs (`first`); the rest of the
# build goes on behind the open notebook.
lab:
	@$(SETUP) --later build lab
	+@$(call MAKE_IT,jupyter first ISAS=$(OWN_ISA))
	@$(BUILD)/bin/warpbook install --prefix $(abspath $(VENV)) >/dev/null
	@$(MAKE) --no-print-directory behind
	@runtime/setup/lab.sh $(LAB_ARGS)

jupyter:
	@$(SETUP) lab

testers:
	@$(SETUP) lab test $(if $(ALL),all)

# Removes outdated files first, so that their users wait for the new ones.
behind:
	@$(MAKE) -s -q $(BEHIND_PRODUCTS) >/dev/null 2>&1 || rm -f $(BEHIND_PRODUCTS)
	@MAKE="$(MAKE)" JOBS=$(JOBS) TOTAL=$(call STEPS_OF,products) runtime/setup/behind.sh start $(BUILD)

# Builds softgpu for this CPU's instruction set (ALL=1: for all; ISAS=avx2: for that one). Installs the test tools while the compiler works.
OTHER_ISAS = $(filter-out $(OWN_ISA),base avx2 avx512)
TEST_ISAS = $(or $(ISAS),$(OWN_ISA) $(if $(ALL),$(OTHER_ISAS)))
test:
	@$(SETUP) --later build lab test $(if $(ALL),all)
	+@export ISAS="$(TEST_ISAS)" && $(call MAKE_IT,testers products) && \
	    WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/run.py $(T)

# dist/warpbook-VERSION-py3-none-manylinux_2_NN_x86_64.whl, with the kernel set for every GPU: WHEEL_ARCHS, in
# a build folder of its own, so that this machine's set stays. JupyterLab is not needed for it.
WHEEL_ARCHS ?= all
wheel:
	@$(SETUP) --later build lab wheel
	+@$(call MAKE_IT,first)
	+@$(call MAKE_IT,BUILD=$(BUILD)/wheel KERNEL_ARCHS="$(WHEEL_ARCHS)" set)
	@$(PYTHON) runtime/setup/wheel/wheel.py $(BUILD) $(BUILD)/wheel dist

# Runs each libFuzzer target for FUZZ_SECONDS. Crashing inputs are kept in build/fuzz/crashes/.
fuzz:
	@$(SETUP) build lab test
	@WARPBOOK_BUILD=$(abspath $(BUILD)) FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTHON) tests/run.py fuzz

bench:
	@$(SETUP) build lab bench
	+@$(BUILD_IT) bench-tools
	@WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/bench/run.py $(if $(WRITE),--write) $(T)

# The tests that need an NVIDIA GPU, and those that must give the same results on one.
test-gpu:
	@$(SETUP) build lab test
	+@$(BUILD_IT)
	@ALL=1 WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/run.py gpu notebooks

# Measures how many submissions two cores grade in a minute.
bench-grade:
	@$(SETUP) build lab
	+@$(BUILD_IT)
	@WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/bench/run.py class

# Times the kernel set beside cuBLAS, CUB and the copy on this machine's GPU (ONLY=gemm: that part alone). Keeps the
# figures in tests/gpu/results/ and writes the block of BENCHMARKS.md and its pictures.
bench-gpu:
	@$(SETUP) build lab
	+@$(BUILD_IT)
	@WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/gpu/bench.py --only "$(ONLY)"
	@$(PYTHON) tests/gpu/report.py

# Compares the model's times with a GPU's: MODEL=h100 for another measured one.
bench-model:
	@$(SETUP) build
	+@$(BUILD_IT)
	@WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/gpu/model.py --gpu "$(or $(MODEL),h200)" --only "$(ONLY)"

# Fits the model's constants again, with all ladders and without each. KEPT=FILE keeps the launches' traits, or reads them.
bench-model-fit:
	@$(SETUP) build
	+@$(BUILD_IT) bench-tools
	@WARPBOOK_BUILD=$(abspath $(BUILD)) $(PYTHON) tests/gpu/fit.py --gpu "$(or $(MODEL),h200)" $(if $(KEPT),--kept "$(KEPT)")

# Writes the block and the pictures again from the newest results; needs only Python.
bench-gpu-report:
	@$(or $(wildcard $(PYTHON)),python3) tests/gpu/report.py

# ---- for administrators ------------------------------------------------------------------------------
# DESTDIR prefixes every path that is written, for packagers. PREFIX is the final location.

INSTALLED := bin/warpbook lib/warpbook share/warpbook share/jupyter/kernels/warpbook share/jupyter/kernels/warpbook-zh share/jupyter/labextensions/warpbook-cuda

# The kernel set is that of `make wheel`, for every GPU that it may meet; INSTALL_ARCHS=own: the one in build/, for this
# machine's, which takes no time.
INSTALL_ARCHS ?= all
install: products
	+@$(if $(filter own,$(INSTALL_ARCHS)),:,$(call MAKE_IT,BUILD=$(BUILD)/wheel KERNEL_ARCHS="$(INSTALL_ARCHS)" set))
	@mkdir -p $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share
	@rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,lib/warpbook share/warpbook)
	@cp -p $(BUILD)/bin/warpbook $(DESTDIR)$(PREFIX)/bin/warpbook
	@cp -a $(BUILD)/lib/warpbook $(DESTDIR)$(PREFIX)/lib/
	@$(if $(filter own,$(INSTALL_ARCHS)),:,cp -a $(patsubst $(BUILD)/%,$(BUILD)/wheel/%,$(BEHIND_PRODUCTS)) $(DESTDIR)$(PREFIX)/lib/warpbook/)
	@cp -a $(BUILD)/share/warpbook $(DESTDIR)$(PREFIX)/share/
	@mkdir -p $(DESTDIR)$(PREFIX)/share/warpbook/notebooks
	@cp -a $(wildcard notebooks/*.ipynb notebooks/images notebooks/zh) $(DESTDIR)$(PREFIX)/share/warpbook/notebooks/
	@$(DESTDIR)$(PREFIX)/bin/warpbook install --prefix $(abspath $(DESTDIR)$(PREFIX)) >/dev/null
	@$(if $(DESTDIR),sed -i 's|$(abspath $(DESTDIR)$(PREFIX))|$(abspath $(PREFIX))|g' \
	    $(DESTDIR)$(PREFIX)/share/jupyter/kernels/warpbook*/kernel.json)
	@echo "warpbook is installed in $(PREFIX); $(PREFIX)/bin/warpbook doctor tells whether it has all it needs."

# Then removes the folders that are empty: up to DESTDIR, or with PREFIX, but none of the system's own.
TOP = $(abspath $(or $(DESTDIR),$(if $(filter /usr /usr/local,$(abspath $(PREFIX))),$(PREFIX)/share,$(PREFIX)/..)))
EMPTIED = $(addprefix $(abspath $(DESTDIR)$(PREFIX))/,bin lib share/jupyter/kernels share/jupyter/labextensions)
uninstall:
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED))
	@cd $(TOP) 2>/dev/null && rmdir -p --ignore-fail-on-non-empty $(patsubst $(TOP)/%,%,$(filter $(TOP)/%,$(EMPTIED))) 2>/dev/null || :
