# Warpbook. Two commands do everything on a fresh machine:
#
#   make lab     sets up, builds, installs the kernelspec and opens JupyterLab on the notebooks
#   make test    sets up, builds and runs every test
#   make wheel   packs it all for pip, into dist/
#
# Plain `make` builds into build/, the command as build/bin/warpbook.
# Settings you may want to pass on the command line:

PREFIX ?= /usr/local
BUILD  ?= build
# Options that `make lab` passes on to JupyterLab, as in LAB_ARGS='--no-browser --port 9000'.
LAB_ARGS ?=
# Which tests `make test` runs: T=unit, T='conformance notebooks', T=unit/base; empty: all.
T      ?=
# ALL=1: `make test` with what is long and tells little more.
ALL    ?=
# WRITE=1: `make bench` also writes its tables into BENCHMARKS.md.
WRITE  ?=
# How long `make fuzz` lets each target run.
FUZZ_SECONDS ?= 300
# SAN=1 builds with the address and undefined-behaviour sanitizers (use another BUILD with it).
SAN    ?=
# Which parts `make bench-gpu` measures, as in ONLY=gemm (tests/gpu/lines.json names them); empty: all.
ONLY   ?=
# V=1 shows the commands.
V      ?=

# ---- nothing below here needs to be changed ------------------------------------------------------

ifeq ($(origin CC),default)
CC := gcc
endif
Q := $(if $(V),,@)
# Prints a step. If targets.mk has counted the steps (TOTAL) and noted the time (START), it also prints how far
# the build is, "[57/214] 41 s", which runtime/base/pending.c reads.
STEPS :=
count = $(eval STEPS += x)[$(words $(STEPS))/$(TOTAL)] $$(($$(date +%s) - $(START))) s
say = @printf '  $(if $(TOTAL),%-14s )%-8s %s\n' $(if $(TOTAL),"$(count)") $(1) $(2)

CPPFLAGS += -I. -D_GNU_SOURCE
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Werror
ALL_CFLAGS = -std=c17 $(WARNINGS) -fPIC -fvisibility=hidden $(CFLAGS)
ifneq ($(SAN),)
# -O0: gcc takes half of what it takes with -O1, and nothing wrong is optimised away. It warns of more; warnings are errors
# in the ordinary build.
ALL_CFLAGS += -O0 -g1 -Wno-error -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
endif

LIBDIR   := $(BUILD)/lib/warpbook
SHAREDIR := $(BUILD)/share/warpbook

# The CUDA 13 compiler: this machine's, or the one that `make setup` put into .venv.
VENV := .venv
ifeq ($(origin NVCC),undefined)
NVCC := $(firstword $(WARPBOOK_NVCC) $(shell command -v nvcc 2>/dev/null) \
          $(wildcard /usr/local/cuda/bin/nvcc) $(wildcard $(VENV)/cuda/bin/nvcc))
endif

# Headers that the C sources include. If one is missing, the goals that compile say what to do.
HEADERS := zmq.h jansson.h openssl/hmac.h sqlite3.h zstd.h lz4.h seccomp.h elfutils/libdw.h
NO_COMPILE := clean setup lab wheel test fuzz bench test-gpu bench-grade bench-gpu bench-gpu-report bench-model bench-model-fit uninstall
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(NO_COMPILE),$(MAKECMDGOALS)),all),)
LACKING := $(shell for h in $(HEADERS); do printf '\043include <%s>\n' $$h | $(CC) -E -x c - >/dev/null 2>&1 || echo $$h; done)
ifneq ($(LACKING),)
$(error Missing on this machine: $(LACKING). `make setup` installs what Warpbook needs)
endif
ifeq ($(NVCC),)
$(error There is no CUDA compiler (nvcc) on this machine. `make setup` installs one into $(VENV))
endif
endif

# Products of `make`. Each module.mk adds its own.
PRODUCTS :=
# The objects of the one command, build/bin/warpbook, and the libraries it needs.
WARPBOOK_OBJS :=
WARPBOOK_LIBS :=
# The cmocka programs, build/tests/NAME_test.
UNIT_TESTS :=
# The libFuzzer programs, build/fuzz/NAME_fuzz.
FUZZERS :=
# Programs that only the benchmarks need.
BENCH_TOOLS :=

.PHONY: all
all: products

# VERSION holds the version; what prints it is made again when the file changes.
VERSION := $(shell cat VERSION)
PRINTS_VERSION := $(addprefix $(BUILD)/obj/,runtime/cli/main.o jupyter_kernel/server/handlers.o)
$(PRINTS_VERSION): VERSION
$(PRINTS_VERSION): CPPFLAGS += -DWB_VERSION='"$(VERSION)"'

# The rows of the kernel set. Every program that names its kernels reads them.
REGISTRY_SRCS := kernels/registry.c kernels/shapes.c

# $(call objects,a.c b.c) is where their objects go.
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

$(BUILD)/obj/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

# $(call unit_test,ROOM/NAME,objects,libraries): the cmocka program build/tests/NAME_test of tests/unit/ROOM/NAME_test.c
define unit_test
UNIT_TESTS += $(BUILD)/tests/$(notdir $(1))_test
$(BUILD)/tests/$(notdir $(1))_test: $(BUILD)/obj/tests/unit/$(1)_test.o $(2)
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ -lcmocka $(3)
endef

# $(call fuzzer,NAME,C sources,libraries): the libFuzzer program of tests/fuzz/NAME_fuzz.c, by clang
define fuzzer
FUZZERS += $(BUILD)/fuzz/$(1)_fuzz
$(BUILD)/fuzz/$(1)_fuzz: $(call fuzz_objects,tests/fuzz/$(1)_fuzz.c $(2))
	$$(call say,FUZZLD,$$@)
	$$(Q)clang -fsanitize=fuzzer,address,undefined -o $$@ $$^ $(3)
endef

fuzz_objects = $(patsubst %.c,$(BUILD)/fuzz/obj/%.o,$(1))

$(BUILD)/fuzz/obj/%.o: %.c
	$(call say,FUZZCC,$<)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) -std=c17 -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<

include $(sort $(wildcard runtime/*/module.mk runtime/*/*/module.mk jupyter_kernel/module.mk kernels/module.mk \
                          labs/module.mk grader/module.mk notebooks/module.mk tests/module.mk))

$(BUILD)/bin/warpbook: $(sort $(WARPBOOK_OBJS))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(sort $(WARPBOOK_LIBS)) -lpthread -ldl -lm

# A build that `make lab` left going on behind JupyterLab is waited for; what it did not make is made now.
BEHIND := $(SHAREDIR)/building
ifneq ($(if $(BEHIND_RUNS),,$(filter-out $(NO_COMPILE),$(or $(MAKECMDGOALS),all))),)
ifneq ($(wildcard $(BEHIND)),)
$(shell runtime/setup/behind.sh wait $(BUILD) >&2)
endif
endif

# Which nvcc an installation falls back on where there is none on the PATH: the one it was built with.
$(SHAREDIR)/toolkit: $(NVCC)
	@mkdir -p $(@D)
	@echo '$(abspath $(NVCC))' > $@
PRODUCTS += $(if $(NVCC),$(SHAREDIR)/toolkit)

.PHONY: products unit fuzzers bench-tools clean
products: $(BUILD)/bin/warpbook $(PRODUCTS)
	@rm -f $(BEHIND)
# The welcome notebook needs these: all except those that take nvcc long. `make lab` opens JupyterLab on it.
BEHIND_PRODUCTS := $(KERNEL_LIB) $(REFERENCE_LIB) $(KERNEL_NOTE) $(COMPARE_PROGRAM)
.PHONY: first set
set: $(BEHIND_PRODUCTS)
first: $(BUILD)/bin/warpbook $(filter-out $(BEHIND_PRODUCTS),$(PRODUCTS))
	@:
unit: $(UNIT_TESTS)
fuzzers: $(FUZZERS)
bench-tools: $(BENCH_TOOLS)
clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj $(BUILD)/fuzz/obj -name '*.d' 2>/dev/null)
include runtime/setup/targets.mk
