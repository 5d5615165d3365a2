COMPILE_OBJS := $(call objects,$(wildcard runtime/compile/*.c))
WARPBOOK_OBJS += $(COMPILE_OBJS)
WARPBOOK_LIBS += -lcrypto
$(eval $(call unit_test,compile,$(COMPILE_OBJS) $(call objects,runtime/device/device.c $(wildcard runtime/base/*.c)),-lcrypto))
