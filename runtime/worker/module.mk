# The session's side, linked into warpbook; the worker process has a main of its own.
WORKER_CLIENT_OBJS := $(call objects,$(addprefix runtime/worker/,worker.c channel.c elf.c symbolize.c memory.c names.c) runtime/json/json.c)
WARPBOOK_OBJS += $(WORKER_CLIENT_OBJS)
WARPBOOK_OBJS += $(call objects,$(addprefix runtime/worker/,session.c explain.c lost.c flags.c traceback.c listing.c tidy.c))
WARPBOOK_LIBS += -ljansson

# The process that hosts users' code is built without sanitizers, whatever SAN says: they would take over the
# very signals, exits and loader calls it reports. Cells link to what cell_api.h names: -rdynamic.
WORKER_SOURCES := $(wildcard runtime/worker/worker_*.c) \
                  $(addprefix runtime/,worker/channel.c worker/elf.c json/json.c base/buf.c base/error.c base/text.c)
PRODUCTS += $(LIBDIR)/warpbook-worker
$(LIBDIR)/warpbook-worker: $(WORKER_SOURCES) $(wildcard runtime/worker/*.h runtime/base/*.h runtime/softgpu/softgpu.h)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARNINGS) -fvisibility=hidden $(CFLAGS) -rdynamic -o $@ $(WORKER_SOURCES) \
	  -ljansson -lpthread -ldl

$(eval $(call unit_test,worker/worker,$(WORKER_CLIENT_OBJS) \
  $(call objects,runtime/device/device.c runtime/compile/toolkit.c $(wildcard runtime/base/*.c)),-ljansson -lpthread -ldl))
$(BUILD)/tests/worker_test: | $(LIBDIR)/warpbook-worker

$(eval $(call unit_test,worker/session,$(WORKER_CLIENT_OBJS) $(BUILD)/obj/tree-sitter.o \
  $(call objects,runtime/worker/session.c runtime/worker/explain.c runtime/worker/lost.c runtime/worker/flags.c runtime/worker/traceback.c runtime/worker/listing.c runtime/worker/tidy.c runtime/device/device.c \
    $(wildcard runtime/cells/*.c runtime/compile/*.c runtime/base/*.c)),-ljansson -lcrypto -lpthread -ldl))
# Its cells run in the ordinary worker, and in a sanitized build it is told where the ordinary products are.
$(BUILD)/tests/session_test: | $(if $(SAN),,products)
$(eval $(call unit_test,worker/flags,$(call objects,runtime/worker/flags.c $(wildcard runtime/base/*.c)),))
