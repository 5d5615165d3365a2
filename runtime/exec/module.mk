EXEC_OBJS := $(call objects,$(wildcard runtime/exec/*.c))
WARPBOOK_OBJS += $(EXEC_OBJS)
WARPBOOK_LIBS += -ljansson
$(eval $(call unit_test,exec/source,$(call objects,$(wildcard runtime/exec/view*.c runtime/measure/*.c runtime/canvas/*.c runtime/base/*.c)),-ljansson -lm))
$(eval $(call unit_test,exec/view,$(call objects,$(wildcard runtime/exec/view*.c runtime/measure/*.c runtime/canvas/*.c runtime/base/*.c)),-ljansson -lm))
