# From a launch's traits to a time: pure functions, and the GPUs as data.
MODEL_SRCS := $(filter-out %/choose.c,$(wildcard runtime/model/*.c))
MODEL_OBJS := $(call objects,$(MODEL_SRCS))
# A device by its name, or by the name of a GPU: what choosing one takes beside runtime/device.
CHOOSE_OBJS := $(call objects,$(addprefix runtime/model/,choose.c gpu.c) runtime/json/line.c)
WARPBOOK_OBJS += $(MODEL_OBJS) $(CHOOSE_OBJS)
WARPBOOK_LIBS += -ljansson

# The GPUs that can be named, and what libraries took on them.
MODEL_DATA := $(wildcard runtime/model/gpus/*.json runtime/model/references/*.json)
PRODUCTS += $(MODEL_DATA:runtime/model/%=$(SHAREDIR)/%)

$(MODEL_DATA:runtime/model/%=$(SHAREDIR)/%): $(SHAREDIR)/%: runtime/model/%
	@mkdir -p $(@D)
	@cp $< $@

$(eval $(call unit_test,model/gpu,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(eval $(call unit_test,model/time,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(eval $(call unit_test,model/reference,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(eval $(call unit_test,model/occupancy,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(BUILD)/obj/tests/unit/model/occupancy_test.o: CPPFLAGS += -isystem $(CUDA_INCLUDE)
$(eval $(call unit_test,model/resources,$(call objects,$(addprefix runtime/model/,resources.c alone.c assemble.c) runtime/device/toolkit.c) $(BASE_OBJS),-lpthread))
$(eval $(call unit_test,model/choose,$(CHOOSE_OBJS) $(call objects,$(addprefix runtime/device/,device.c shell.c toolkit.c)) $(BASE_OBJS),-ljansson -lm -lpthread))
# tests/gpu/fit.py asks this program for times to fit the model's constants.
BENCH_TOOLS += $(BUILD)/tests/model/model_fit
UNIT_TESTS += $(BUILD)/tests/model/model_fit
$(BUILD)/tests/model/model_fit: $(call objects,tests/model/fit.c runtime/model/time.c runtime/model/gpu.c runtime/json/line.c) $(BASE_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ljansson -lm

$(eval $(call fuzzer,gpu,$(MODEL_SRCS) runtime/json/line.c $(wildcard runtime/base/*.c),-ljansson -lm))
