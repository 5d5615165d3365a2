# From a launch's traits to a time: pure functions, and the GPUs as data.
MODEL_SRCS := $(wildcard runtime/model/*.c)
MODEL_OBJS := $(call objects,$(MODEL_SRCS))
WARPBOOK_OBJS += $(MODEL_OBJS)
WARPBOOK_LIBS += -ljansson

# The GPUs that can be named.
MODEL_GPUS := $(wildcard runtime/model/gpus/*.json)
PRODUCTS += $(MODEL_GPUS:runtime/model/%=$(SHAREDIR)/%)

$(SHAREDIR)/gpus/%.json: runtime/model/gpus/%.json
	@mkdir -p $(@D)
	@cp $< $@

$(eval $(call unit_test,model/gpu,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(eval $(call unit_test,model/time,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(eval $(call unit_test,model/occupancy,$(MODEL_OBJS) $(JSON_OBJS) $(BASE_OBJS),-ljansson -lm))
$(BUILD)/obj/tests/unit/model/occupancy_test.o: CPPFLAGS += -isystem $(CUDA_INCLUDE)
$(eval $(call unit_test,model/resources,$(call objects,$(addprefix runtime/model/,resources.c alone.c assemble.c sha256.c) runtime/device/toolkit.c) $(BASE_OBJS),-lpthread))
$(eval $(call fuzzer,gpu,$(MODEL_SRCS) runtime/json/line.c $(wildcard runtime/base/*.c),-ljansson -lm))
