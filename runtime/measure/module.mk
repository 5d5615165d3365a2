MEASURE_OBJS := $(call objects,$(wildcard runtime/measure/*.c))
WARPBOOK_OBJS += $(MEASURE_OBJS)
WARPBOOK_LIBS += -ljansson
$(eval $(call unit_test,measure,$(MEASURE_OBJS) $(CANVAS_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-ljansson -lm))
