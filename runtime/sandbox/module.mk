SANDBOX_OBJS := $(call objects,runtime/sandbox/sandbox.c)
WARPBOOK_OBJS += $(SANDBOX_OBJS)
PRODUCTS += $(LIBDIR)/warpbook-confine $(LIBDIR)/warpbook-isolate

# Without the sanitizers: their allocator reserves more than the limits it sets allow.
$(LIBDIR)/warpbook-confine: runtime/sandbox/confine.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARNINGS) -O2 -o $@ $< -lseccomp

$(LIBDIR)/warpbook-isolate: $(call objects,runtime/sandbox/isolate.c $(wildcard runtime/base/*.c)) $(SANDBOX_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lpthread

$(eval $(call unit_test,sandbox,$(SANDBOX_OBJS) $(call objects,$(wildcard runtime/base/*.c)),-lpthread))
$(BUILD)/tests/sandbox_test: | $(LIBDIR)/warpbook-confine $(LIBDIR)/warpbook-isolate
