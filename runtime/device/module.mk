DEVICE_OBJS := $(call objects,runtime/device/device.c)
WARPBOOK_OBJS += $(DEVICE_OBJS)
PRODUCTS += $(LIBDIR)/warpbook-probe
$(LIBDIR)/warpbook-probe: $(call objects,runtime/device/probe.c)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ldl
