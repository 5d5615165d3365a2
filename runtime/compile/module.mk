# tree-sitter and its CUDA grammar: fetched, checked and compiled here, once for all build folders.
TREE_SITTER := build/third_party/tree-sitter
TREE_SITTER_LIB := $(BUILD)/obj/tree-sitter.o

$(TREE_SITTER)/.complete: runtime/setup/tree-sitter.sh
	@runtime/setup/tree-sitter.sh
	@touch $@

TREE_SITTER_FLAGS := -std=gnu11 -O1 -g1 -w -fPIC -fvisibility=hidden -D_GNU_SOURCE \
	-I$(TREE_SITTER)/core/include -I$(TREE_SITTER)/core/src -I$(TREE_SITTER)/cuda/src
$(TREE_SITTER_LIB): $(TREE_SITTER)/.complete
	$(call say,CC,tree-sitter)
	@mkdir -p $(BUILD)/obj/tree-sitter
	$(Q)$(CC) $(TREE_SITTER_FLAGS) -c -o $(BUILD)/obj/tree-sitter/core.o $(TREE_SITTER)/core/src/lib.c
	$(Q)$(CC) $(TREE_SITTER_FLAGS) -c -o $(BUILD)/obj/tree-sitter/parser.o $(TREE_SITTER)/cuda/src/parser.c
	$(Q)$(CC) $(TREE_SITTER_FLAGS) -c -o $(BUILD)/obj/tree-sitter/scanner.o $(TREE_SITTER)/cuda/src/scanner.c
	$(Q)$(CC) -nostdlib -r -o $@ $(addprefix $(BUILD)/obj/tree-sitter/,core.o parser.o scanner.o)

DECLARE_SOURCES := $(wildcard runtime/compile/declare*.c)
SPLIT_OBJS := $(call objects,runtime/compile/split.c $(DECLARE_SOURCES))
$(SPLIT_OBJS): EXTRA_CFLAGS += -I$(TREE_SITTER)/core/include
$(SPLIT_OBJS): | $(TREE_SITTER)/.complete

# COMPILE_OBJS is all of this folder; a program that only calls wb_compile needs NVCC_OBJS alone.
NVCC_OBJS := $(call objects,$(addprefix runtime/compile/,nvcc.c steps.c prefix.c device_marks.c cache.c diag.c toolkit.c))
COMPILE_OBJS := $(call objects,$(wildcard runtime/compile/*.c)) $(TREE_SITTER_LIB)
WARPBOOK_OBJS += $(COMPILE_OBJS)
WARPBOOK_LIBS += -lcrypto
NVCC_TEST_OBJS := $(NVCC_OBJS) $(call objects,runtime/compile/disassemble.c runtime/device/device.c $(wildcard runtime/base/*.c))
$(eval $(call unit_test,compile,$(NVCC_TEST_OBJS),-lcrypto))
$(eval $(call unit_test,steps,$(NVCC_TEST_OBJS),-lcrypto))

# What every cell is linked to, and the headers every cell has.
CELL_HEADERS := $(patsubst runtime/compile/include/%,$(SHAREDIR)/include/%,$(wildcard runtime/compile/include/*.h))
PRODUCTS += $(LIBDIR)/cell_support.o $(LIBDIR)/cell_statics.list $(CELL_HEADERS)
$(LIBDIR)/cell_support.o: runtime/compile/cell_support.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 $(WARNINGS) -O2 -fPIC -fvisibility=hidden -c -o $@ $<
$(LIBDIR)/cell_statics.list: runtime/compile/cell_statics.list
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(CELL_HEADERS): $(SHAREDIR)/include/%: runtime/compile/include/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

SPLIT_SOURCES := $(DECLARE_SOURCES) $(addprefix runtime/compile/,split.c expand.c complete.c live.c closure.c)
$(eval $(call unit_test,split,$(call objects,$(SPLIT_SOURCES) $(wildcard runtime/base/*.c)) $(TREE_SITTER_LIB),))
CELLGEN_SOURCES := $(SPLIT_SOURCES) $(addprefix runtime/compile/,bring.c cellgen.c device_vars.c directives.c hint.c hint_cuda.c hint_include.c live_names.c macros.c \
  own_files.c own_headers.c specifiers.c statics.c toolkit.c types.c unfinished.c unit.c) $(wildcard runtime/base/*.c)
CELLGEN_TEST_OBJS := $(call objects,$(CELLGEN_SOURCES)) $(TREE_SITTER_LIB)
$(eval $(call unit_test,bring,$(CELLGEN_TEST_OBJS),-ljansson -lcrypto))
$(eval $(call unit_test,own_headers,$(CELLGEN_TEST_OBJS),-ljansson -lcrypto))
$(eval $(call fuzzer,cell,$(CELLGEN_SOURCES) $(TREE_SITTER_LIB),-I$(TREE_SITTER)/core/include -ljansson -lcrypto))
