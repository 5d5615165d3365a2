# The PTX front end (ptx/) and the machine that runs it (machine/, watch/, exec/, lower/, launch/).
# libcudart.so.13, which is made of SOFTGPU_OBJS and more, is in cudart/module.mk.
SOFTGPU_PTX_SRCS := $(sort $(wildcard runtime/softgpu/ptx/*.c))
# The handlers of instructions are compiled once for each instruction set; exec/exec.c chooses.
SOFTGPU_EXEC_SRCS := $(sort $(wildcard runtime/softgpu/exec/handlers/*.c))
SOFTGPU_ENGINE_SRCS := $(sort $(wildcard $(patsubst %,runtime/softgpu/%/*.c,machine watch/queue watch/check watch/record watch/trace watch/count texture exec lower launch)))
# Handlers must be vectorised; with sanitizers that would take minutes and gain nothing, and -O0 takes a
# third of what -O1 takes. Accesses are watched by the address sanitizer, without these checks a quarter sooner.
# -g1: a debugger has little to show of a macro's variables, and to follow them takes gcc a fifth of the time.
SOFTGPU_EXEC_OPT := $(if $(SAN),-O0 -fno-sanitize=null -fno-sanitize=object-size,-O3 -g1)
SOFTGPU_ISA_base :=
SOFTGPU_ISA_avx2 := -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt
SOFTGPU_ISA_avx512 := $(SOFTGPU_ISA_avx2) -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512cd -mprefer-vector-width=512
# The one that will be chosen on this CPU (exec/exec.c).
CPU_FLAGS = $(shell grep -m 1 ^flags /proc/cpuinfo)
HAS = $(if $(filter-out $(CPU_FLAGS),$(1)),,yes)
OWN_ISA = $(if $(call HAS,avx2 fma bmi2 popcnt),$(if $(call HAS,avx512f avx512dq avx512bw avx512vl avx512cd),avx512,avx2),base)
# ISAS: which of them are linked in. `make lab` begins with this CPU's own; the sanitizers watch that one alone,
# all with ALL=1: nearly all of the source is the same, and each takes them 20 s to compile.
SOFTGPU_ISAS := $(if $(SAN),$(if $(ALL),base avx2 avx512,$(OWN_ISA)),$(or $(ISAS),base avx2 avx512))
SOFTGPU_EXEC_OBJS := $(foreach isa,$(SOFTGPU_ISAS),$(patsubst %.c,$(BUILD)/obj/%.$(isa).o,$(SOFTGPU_EXEC_SRCS)))

# $(call softgpu_isa,NAME): how handlers are compiled for that instruction set
define softgpu_isa
$(BUILD)/obj/runtime/softgpu/exec/handlers/%.$(1).o: runtime/softgpu/exec/handlers/%.c
	$$(call say,CC,"$$< ($(1))")
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CPPFLAGS) $$(ALL_CFLAGS) $(SOFTGPU_EXEC_OPT) -ffp-contract=off $$(SOFTGPU_ISA_$(1)) -DSG_ISA=$(1) $$(EXTRA_CFLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,base avx2 avx512,$(eval $(call softgpu_isa,$(isa))))
SOFTGPU_PTX_OBJS := $(call objects,$(SOFTGPU_PTX_SRCS))
SOFTGPU_ENGINE_OBJS := $(call objects,$(SOFTGPU_ENGINE_SRCS))
# Code that looks at each request also goes over 32 lanes in short loops.
$(call objects,$(filter runtime/softgpu/exec/mma.c runtime/softgpu/watch/queue/% runtime/softgpu/watch/count/% runtime/softgpu/watch/trace/%,$(SOFTGPU_ENGINE_SRCS))): EXTRA_CFLAGS += $(if $(SAN),-O1,-O3)
# Debug information, which only libcudart.so.13 reads (cudart/soft/twin).
SOFTGPU_DEBUG_SRCS := $(addprefix runtime/softgpu/debug/,dwarf.c image.c)
SOFTGPU_DEBUG_LIBS := -ldw -lelf
SOFTGPU_OBJS := $(SOFTGPU_PTX_OBJS) $(SOFTGPU_ENGINE_OBJS) $(SOFTGPU_EXEC_OBJS)

$(eval $(call unit_test,softgpu/ptx,$(SOFTGPU_PTX_OBJS) $(call objects,runtime/base/buf.c runtime/base/text.c) $(LANGUAGE_OBJS),))
$(eval $(call fuzzer,ptx,$(SOFTGPU_PTX_SRCS) $(LANGUAGE_SRCS),))
$(eval $(call fuzzer,lower,$(SOFTGPU_PTX_SRCS) $(SOFTGPU_ENGINE_SRCS) $(wildcard runtime/base/*.c) $(SOFTGPU_EXEC_OBJS),-lm -lpthread))
$(eval $(call unit_test,softgpu/dwarf,$(SOFTGPU_PTX_OBJS) $(call objects,$(SOFTGPU_DEBUG_SRCS) $(wildcard runtime/base/*.c)),$(SOFTGPU_DEBUG_LIBS) -lm -lpthread))
$(eval $(call unit_test,softgpu/values,$(SOFTGPU_OBJS) $(call objects,$(SOFTGPU_DEBUG_SRCS) $(wildcard runtime/base/*.c)),$(SOFTGPU_DEBUG_LIBS) -lm -lpthread))
$(eval $(call fuzzer,dwarf,$(SOFTGPU_PTX_SRCS) $(SOFTGPU_DEBUG_SRCS) $(wildcard runtime/base/*.c),$(SOFTGPU_DEBUG_LIBS) -lm -lpthread))
$(eval $(call fuzzer,dap,$(SOFTGPU_PTX_SRCS) $(SOFTGPU_ENGINE_SRCS) $(wildcard runtime/softgpu/debug/*.c runtime/base/*.c) runtime/json/json.c runtime/json/framed.c $(SOFTGPU_EXEC_OBJS),$(SOFTGPU_DEBUG_LIBS) -ljansson -lm -lpthread))
$(eval $(call unit_test,softgpu/cache,$(call objects,runtime/softgpu/watch/trace/cache.c),))
$(eval $(call unit_test,softgpu/banks,$(call objects,runtime/softgpu/watch/queue/banks.c),))
$(eval $(call unit_test,softgpu/arena,$(call objects,runtime/softgpu/machine/arena.c),-lpthread))
$(eval $(call unit_test,softgpu/engine,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/poll,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/pool,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/bulk,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/waits,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/memory,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/race,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/trace,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/stores,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/sample,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lm -lpthread))
$(eval $(call unit_test,softgpu/record,$(SOFTGPU_OBJS) $(call objects,$(wildcard runtime/base/*.c runtime/draw/*.c runtime/canvas/*.c runtime/measure/*.c)),-ljansson -lm -lpthread))
