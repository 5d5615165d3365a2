# nvcc, what it says, and the cache.
# A program that only calls wb_compile needs NVCC_OBJS alone.
NVCC_OBJS := $(call objects,$(addprefix runtime/compile/,nvcc.c diag.c growth.c) $(wildcard runtime/compile/cache/*.c runtime/compile/direct/*.c) runtime/device/toolkit.c)
WARPBOOK_OBJS += $(call objects,$(wildcard runtime/compile/*.c runtime/compile/cache/*.c runtime/compile/direct/*.c))
NVCC_TEST_OBJS := $(NVCC_OBJS) $(call objects,runtime/compile/disassemble.c runtime/device/device.c runtime/device/shell.c $(wildcard runtime/base/*.c))
$(eval $(call unit_test,compile/compile,$(NVCC_TEST_OBJS),))
$(eval $(call unit_test,compile/direct,$(NVCC_TEST_OBJS),))
$(eval $(call fuzzer,texts,$(addprefix runtime/compile/direct/,texts.c host.c device.c parts.c tokens.c word_set.c headers.c header_index.c) $(wildcard runtime/base/*.c),-ljansson -lm -lpthread))
