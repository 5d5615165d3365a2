WARPBOOK_OBJS += $(call objects,$(wildcard runtime/cli/*.c))
