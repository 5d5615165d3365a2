BASE_OBJS := $(call objects,$(wildcard runtime/base/*.c))
WARPBOOK_OBJS += $(BASE_OBJS)
$(eval $(call unit_test,base,$(BASE_OBJS),))
