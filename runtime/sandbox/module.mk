SANDBOX_OBJS := $(call objects,runtime/sandbox/sandbox.c)
WARPBOOK_OBJS += $(SANDBOX_OBJS)
PRODUCTS += $(LIBDIR)/warpbook-confine

# Without the sanitizers: their allocator reserves more than the limits it sets allow.
$(LIBDIR)/warpbook-confine: runtime/sandbox/confine.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARNINGS) -O2 -o $@ $< -lseccomp

$(eval $(call unit_test,sandbox,$(SANDBOX_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lpthread))
$(BUILD)/tests/sandbox_test: | $(LIBDIR)/warpbook-confine
