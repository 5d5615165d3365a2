# tree-sitter and its CUDA grammar: fetched, checked and compiled here, once for all build folders.
TREE_SITTER := build/third_party/tree-sitter
TREE_SITTER_LIB := build/third_party/tree-sitter.o

$(TREE_SITTER)/.complete: runtime/setup/tree-sitter.sh
	@runtime/setup/tree-sitter.sh
	@touch $@

TREE_SITTER_FLAGS := -std=gnu11 -O1 -g1 -w -fPIC -fvisibility=hidden -D_GNU_SOURCE \
	-I$(TREE_SITTER)/core/include -I$(TREE_SITTER)/core/src -I$(TREE_SITTER)/cuda/src
$(TREE_SITTER_LIB): $(TREE_SITTER)/.complete
	$(call say,CC,tree-sitter)
	$(Q)for part in core/src/lib cuda/src/parser cuda/src/scanner; do \
	  $(CC) $(TREE_SITTER_FLAGS) -c -o $(TREE_SITTER)/$$(basename $$part).o $(TREE_SITTER)/$$part.c || exit 1; done
	$(Q)$(CC) -nostdlib -r -o $@ $(addprefix $(TREE_SITTER)/,lib.o parser.o scanner.o)

CELLS_SOURCES := $(wildcard runtime/cells/*.c runtime/cells/*/*.c runtime/cells/*/*/*.c)
PARSE_SOURCES := $(addprefix runtime/cells/split/,split.c nodes.c use.c) $(wildcard runtime/cells/split/declare/*.c)
SPLIT_OBJS := $(call objects,$(PARSE_SOURCES)) $(call fuzz_objects,$(PARSE_SOURCES))
$(SPLIT_OBJS): EXTRA_CFLAGS += -I$(TREE_SITTER)/core/include
$(SPLIT_OBJS): | $(TREE_SITTER)/.complete

WARPBOOK_OBJS += $(call objects,$(CELLS_SOURCES)) $(TREE_SITTER_LIB)

# The object that every cell links, and the headers that every cell has.
CELL_HEADERS := $(patsubst runtime/cells/include/%,$(SHAREDIR)/include/%,$(wildcard runtime/cells/include/*.h))
PRODUCTS += $(LIBDIR)/cell_support.o $(LIBDIR)/cell_statics.list $(CELL_HEADERS)
$(LIBDIR)/cell_support.o: runtime/cells/cell_support.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 $(WARNINGS) -O2 -fPIC -fvisibility=hidden -c -o $@ $<
$(LIBDIR)/cell_statics.list: runtime/cells/cell_statics.list
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(CELL_HEADERS): $(SHAREDIR)/include/%: runtime/cells/include/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(eval $(call unit_test,cells/split,$(call objects,$(wildcard runtime/cells/split/*.c runtime/cells/split/declare/*.c) $(addprefix runtime/cells/live/,live.c anew.c) runtime/compile/direct/parts/tokens.c $(wildcard runtime/base/*.c)) $(TREE_SITTER_LIB),))
$(eval $(call unit_test,cells/use,$(call objects,$(wildcard runtime/cells/split/*.c runtime/cells/split/declare/*.c) $(addprefix runtime/cells/live/,live.c anew.c) runtime/compile/direct/parts/tokens.c $(wildcard runtime/base/*.c)) $(TREE_SITTER_LIB),))
# All but ambiguous.c, which reads the compiler's messages.
CELLGEN_SOURCES := $(filter-out %/ambiguous.c,$(CELLS_SOURCES)) runtime/compile/direct/parts/tokens.c runtime/device/toolkit.c runtime/json/json.c $(wildcard runtime/base/*.c)
CELLGEN_TEST_OBJS := $(call objects,$(CELLGEN_SOURCES)) $(TREE_SITTER_LIB)
$(eval $(call unit_test,cells/bring,$(CELLGEN_TEST_OBJS),-ljansson))
$(eval $(call unit_test,cells/own_headers,$(CELLGEN_TEST_OBJS),-ljansson))
$(eval $(call unit_test,cells/readings,$(CELLGEN_TEST_OBJS),-ljansson))
$(eval $(call fuzzer,cell,$(CELLGEN_SOURCES) $(TREE_SITTER_LIB),-ljansson))
