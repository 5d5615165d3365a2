WARPBOOK_OBJS += $(call objects,$(wildcard runtime/cli/*.c))

$(eval $(call unit_test,cli/option,$(call objects,runtime/cli/option.c $(wildcard runtime/base/*.c)),-lpthread))
