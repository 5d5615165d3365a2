COMPARE_OBJS := $(call objects,$(wildcard runtime/compare/*.c))
WARPBOOK_OBJS += $(COMPARE_OBJS)

# warpbook-compare: the one program here that touches CUDA. Needs libcudart.so.13 and nothing else.
COMPARE_PROGRAM := $(LIBDIR)/warpbook-compare
COMPARE_PROGRAM_OBJS := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard runtime/compare/program/*.c runtime/compare/program/*.cu))
PRODUCTS += $(COMPARE_PROGRAM)
HOST_WARNINGS := -Xcompiler -Wall,-Wextra,-Werror

$(BUILD)/obj/runtime/compare/program/%.c.o: runtime/compare/program/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -x c $(CPPFLAGS) -O2 -g -Xcompiler -std=gnu17 $(HOST_WARNINGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/obj/runtime/compare/program/%.cu.o: runtime/compare/program/%.cu
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)code=$$(kernels/gencode.sh '$(CC)' $< 75 $(KERNEL_CODE)) && $(NVCC) -std=c++17 -O2 $$code $(CPPFLAGS) $(HOST_WARNINGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(COMPARE_PROGRAM): $(COMPARE_PROGRAM_OBJS) $(REGISTRY_OBJS) $(CALL_OBJS) $(call objects,runtime/cli/option.c $(wildcard runtime/base/*.c))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -cudart shared $(if $(SAN),-Xcompiler -fsanitize=address$(comma)-fsanitize=undefined) -o $@.new $^ -ldl -lm -lpthread
	$(Q)mv -f $@.new $@

COMPARE_TEST_OBJS := $(call objects,$(addprefix runtime/compare/,user.c view.c modelled.c show.c stage.c) runtime/cells/redefine/overload.c runtime/model/reference.c runtime/json/line.c $(REGISTRY_SRCS) $(wildcard runtime/base/*.c runtime/measure/*.c runtime/canvas/*.c runtime/compile/*/*.c runtime/compile/*/*/*.c) $(addprefix runtime/compile/,nvcc.c diag.c growth.c) runtime/device/device.c runtime/device/toolkit.c)
$(eval $(call unit_test,compare/compare,$(COMPARE_TEST_OBJS),-ljansson -lm -lpthread))
$(eval $(call unit_test,compare/stage,$(COMPARE_TEST_OBJS),-ljansson -lm -lpthread))
$(eval $(call unit_test,compare/judge,$(patsubst %,$(BUILD)/obj/runtime/compare/program/%.c.o,data judge) $(call objects,$(REGISTRY_SRCS) runtime/base/parallel.c),-lm -lpthread))
$(eval $(call unit_test,compare/clock,$(BUILD)/obj/runtime/compare/program/clock.c.o $(call objects,$(wildcard runtime/base/*.c)),))
$(BUILD)/obj/tests/unit/compare/judge_test.o $(BUILD)/obj/tests/unit/compare/clock_test.o: CPPFLAGS += -isystem $(CUDA_INCLUDE)
