# What programs are linked to that speak of users' texts in JSON.
JSON_OBJS := $(call objects,$(wildcard runtime/json/*.c))
WARPBOOK_OBJS += $(JSON_OBJS)
$(eval $(call unit_test,json,$(JSON_OBJS) $(BASE_OBJS),-ljansson))
