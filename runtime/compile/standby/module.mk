# What makes nvcc's programs wait for the next cell, and who asks them.
STANDBY_ASK_OBJS := $(call objects,$(addprefix runtime/compile/standby/,ask.c await.c begin.c cuts.c names.c room.c) $(wildcard runtime/base/*.c))
PRODUCTS += $(LIBDIR)/warpbook-standby $(LIBDIR)/libwarpbook_standby.so

$(LIBDIR)/warpbook-standby: $(STANDBY_ASK_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lpthread

# Loaded into the compiler's programs: of libc alone, and without the sanitizers.
$(LIBDIR)/libwarpbook_standby.so: $(addprefix runtime/compile/standby/,waiting.c serve.c shrink.c room.c serve.h shrink.h room.h standby.h)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARNINGS) -O2 -g -fPIC -fvisibility=hidden -shared -o $@ $(filter %.c,$^) -ldl
