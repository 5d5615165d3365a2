# For programs that write users' texts as JSON.
JSON_OBJS := $(call objects,$(wildcard runtime/json/*.c))
WARPBOOK_OBJS += $(JSON_OBJS)
$(eval $(call unit_test,json,$(JSON_OBJS) $(BASE_OBJS),-ljansson))
$(eval $(call fuzzer,framed,runtime/json/framed.c runtime/base/buf.c runtime/base/language.c runtime/base/catalog.c,-ljansson))
