# nvcc, its diagnostics, and the cache.
# A program that only calls wb_compile needs NVCC_OBJS alone.
NVCC_OBJS := $(call objects,$(addprefix runtime/compile/,nvcc.c diag.c growth.c) $(wildcard runtime/compile/*/*.c runtime/compile/*/*/*.c) runtime/device/toolkit.c)
WARPBOOK_OBJS += $(call objects,$(wildcard runtime/compile/*.c runtime/compile/*/*.c runtime/compile/*/*/*.c))
NVCC_TEST_OBJS := $(NVCC_OBJS) $(call objects,runtime/compile/disassemble.c runtime/device/device.c runtime/device/shell.c $(wildcard runtime/base/*.c))
$(eval $(call unit_test,compile/compile,$(NVCC_TEST_OBJS),))
$(eval $(call unit_test,compile/direct,$(NVCC_TEST_OBJS),))
$(eval $(call fuzzer,texts,$(addprefix runtime/compile/direct/,texts.c host.c device.c prelude/headers.c prelude/header_index.c) $(wildcard runtime/compile/direct/parts/*.c) $(wildcard runtime/base/*.c),-ljansson -lm -lpthread))
$(BUILD)/obj/runtime/compile/direct/prelude/prelude.o: runtime/compile/direct/prelude/make.sh runtime/compile/direct/prelude/support.hpp
