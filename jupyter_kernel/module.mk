comma := ,

# The kernel process, and (for the tests of its protocol) the same with a mock of the session.
JUPYTER_OBJS := $(call objects,$(wildcard jupyter_kernel/*.c jupyter_kernel/*/*.c))
JUPYTER_LIBS := -lzmq -ljansson -lcrypto -lsqlite3
JUPYTER_BASE := $(call objects,$(wildcard runtime/base/*.c))

WARPBOOK_OBJS += $(JUPYTER_OBJS)
WARPBOOK_LIBS += $(JUPYTER_LIBS)

PRODUCTS += $(addprefix $(SHAREDIR)/kernelspec/,logo-32x32.png logo-64x64.png logo-svg.svg)
$(SHAREDIR)/kernelspec/%: jupyter_kernel/logo/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The folder of the file that only clangd knows. clang's CUDA headers include a header that CUDA 13
# no longer has.
PRODUCTS += $(SHAREDIR)/clangd/texture_fetch_functions.h
$(SHAREDIR)/clangd/%:
	@mkdir -p $(@D)
	$(Q)touch $@

# The names that CUDA's headers declare, for Tab and Shift-Tab.
CUDA_NAMES := $(SHAREDIR)/cuda_names.json
PRODUCTS += $(CUDA_NAMES)
$(CUDA_NAMES): jupyter_kernel/help/cuda_names.py $(SHAREDIR)/toolkit
	$(call say,PY,$@)
	$(Q)python3 $< $(CUDA_INCLUDE) > $@.new && mv $@.new $@

# Headers that the checks of a lab's steps include.
PRODUCTS += $(SHAREDIR)/steps/step.h
$(SHAREDIR)/steps/%: jupyter_kernel/steps/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

PRODUCTS += $(SHAREDIR)/export.py
$(SHAREDIR)/export.py: jupyter_kernel/export/export.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The extension that colours CUDA's words in JupyterLab.
PRODUCTS += $(addprefix $(SHAREDIR)/lab/,package.json remoteEntry.js)
$(SHAREDIR)/lab/%: jupyter_kernel/lab/% VERSION
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@

MOCK_OBJS := $(JUPYTER_OBJS) $(JUPYTER_BASE) $(call objects,$(addprefix runtime/json/,json.c finding.c framed.c)) build/third_party/tree-sitter.o \
  $(call objects,tests/mock/session_mock.c runtime/worker/shared/channel.c runtime/cli/main.c runtime/cli/option.c $(addprefix runtime/device/,clangd.c device.c shell.c toolkit.c) runtime/model/choose.c runtime/model/gpu.c runtime/json/line.c $(REGISTRY_SRCS) \
                 $(wildcard runtime/exec/view*.c) $(wildcard runtime/cells/*.c runtime/cells/*/*.c runtime/cells/*/*/*.c runtime/compile/*.c runtime/compile/*/*.c runtime/compile/*/*/*.c runtime/measure/*.c runtime/canvas/*.c runtime/draw/*.c))
UNIT_TESTS += $(BUILD)/tests/mock/bin/warpbook
$(BUILD)/tests/mock/bin/warpbook: $(MOCK_OBJS) | $(CUDA_NAMES)
	$(call say,LD,$@)
	@mkdir -p $(@D) $(@D)/../share/warpbook
	@cp $(CUDA_NAMES) $(@D)/../share/warpbook/
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(JUPYTER_LIBS) -lpthread -ldl -lm

$(eval $(call unit_test,jupyter_kernel/wire,$(call objects,jupyter_kernel/protocol/wire.c) $(JUPYTER_BASE),-ljansson -lcrypto -Wl$(comma)--wrap=malloc$(comma)--wrap=calloc$(comma)--wrap=realloc))
$(eval $(call fuzzer,wire,jupyter_kernel/protocol/wire.c runtime/base/buf.c runtime/base/language.c runtime/base/catalog.c,-ljansson -lcrypto))
$(eval $(call unit_test,jupyter_kernel/cellparts,$(call objects,jupyter_kernel/execution/cell.c runtime/compile/direct/parts/tokens.c) $(JUPYTER_BASE),))
$(eval $(call unit_test,jupyter_kernel/grade_view,$(call objects,jupyter_kernel/magics/grade_view.c jupyter_kernel/execution/bundle.c runtime/measure/table.c runtime/canvas/colours.c runtime/json/json.c runtime/json/finding.c) $(JUPYTER_BASE),-ljansson -lm))
$(eval $(call unit_test,jupyter_kernel/lesson,$(call objects,$(addprefix jupyter_kernel/steps/,answer.c figure.c lesson.c lesson_check.c lesson_tongue.c progress.c) $(addprefix runtime/json/,json.c line.c)) $(JUPYTER_BASE),-ljansson -lm))
$(eval $(call fuzzer,cellparts,jupyter_kernel/execution/cell.c runtime/compile/direct/parts/tokens.c runtime/base/words.c runtime/base/buf.c runtime/base/language.c runtime/base/catalog.c,))

# The client that the benchmark of round trips measures with.
BENCH_TOOLS += $(BUILD)/tests/bench/round_trip
$(BUILD)/tests/bench/round_trip: $(call objects,tests/bench/round_trip.c jupyter_kernel/protocol/wire.c) $(JUPYTER_BASE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lzmq -ljansson -lcrypto -lpthread
