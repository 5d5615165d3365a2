# The session's side, linked into warpbook; the worker process has a main of its own.
WORKER_CLIENT_OBJS := $(call objects,$(addprefix runtime/worker/,worker.c channel.c elf.c symbolize.c))
WARPBOOK_OBJS += $(WORKER_CLIENT_OBJS)
ifneq ($(wildcard runtime/compile/cellgen.c),)
WARPBOOK_OBJS += $(call objects,$(addprefix runtime/worker/,session.c traceback.c))
endif
WARPBOOK_LIBS += -ljansson

WORKER_OBJS := $(call objects,$(wildcard runtime/worker/worker_*.c)) \
               $(call objects,$(addprefix runtime/worker/,channel.c elf.c) runtime/base/buf.c runtime/base/error.c)
PRODUCTS += $(LIBDIR)/warpbook-worker
# Cells are linked to the process that loads them: it exports what cell_api.h names.
$(LIBDIR)/warpbook-worker: $(WORKER_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -rdynamic -o $@ $^ -ljansson -lpthread -ldl

$(eval $(call unit_test,worker,$(WORKER_CLIENT_OBJS) \
  $(call objects,runtime/device/device.c runtime/compile/toolkit.c $(wildcard runtime/base/*.c)),-ljansson -lpthread -ldl))
$(BUILD)/tests/worker_test: | $(LIBDIR)/warpbook-worker
