# The session's side, linked into warpbook; the worker process (process/) has a main of its own.
WORKER_SHARED_SRCS := $(wildcard runtime/worker/shared/*.c) runtime/json/json.c
WORKER_CLIENT_OBJS := $(call objects,$(wildcard runtime/worker/client/*.c) $(WORKER_SHARED_SRCS))
WORKER_SESSION_OBJS := $(call objects,$(wildcard runtime/worker/words/*.c runtime/worker/session/*.c))
WARPBOOK_OBJS += $(WORKER_CLIENT_OBJS) $(WORKER_SESSION_OBJS)
WARPBOOK_LIBS += -ljansson

# The process that hosts users' code is built without sanitizers, whatever SAN says: they would take over the
# very signals, exits and loader calls it reports. Cells link to what cell_api.h names: -rdynamic.
WORKER_SOURCES := $(wildcard runtime/worker/process/*.c) $(WORKER_SHARED_SRCS) $(addprefix runtime/base/,buf.c text.c language.c catalog.c)
PRODUCTS += $(LIBDIR)/warpbook-worker
$(LIBDIR)/warpbook-worker: $(LANGUAGE_MO) $(WORKER_SOURCES) $(wildcard runtime/worker/*/*.h runtime/base/*.h runtime/json/*.h runtime/softgpu/softgpu.h)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARNINGS) -fvisibility=hidden $(CFLAGS) $(LANGUAGE_FLAGS) -rdynamic -o $@ $(WORKER_SOURCES) \
	  -ljansson -lpthread -ldl

$(eval $(call unit_test,worker/worker,$(WORKER_CLIENT_OBJS) \
  $(call objects,runtime/device/device.c runtime/device/toolkit.c $(wildcard runtime/base/*.c)),-ljansson -lpthread -ldl))
$(BUILD)/tests/worker_test: | $(LIBDIR)/warpbook-worker

SESSION_OBJS := $(WORKER_CLIENT_OBJS) $(WORKER_SESSION_OBJS) build/third_party/tree-sitter.o \
  $(call objects,runtime/model/choose.c runtime/model/gpu.c runtime/json/line.c) \
  $(call objects,runtime/device/device.c runtime/device/toolkit.c $(wildcard runtime/cells/*.c runtime/cells/*/*.c runtime/cells/*/*/*.c runtime/compile/*.c runtime/compile/*/*.c runtime/compile/*/*/*.c runtime/base/*.c))
$(eval $(call unit_test,worker/session,$(SESSION_OBJS),-ljansson -lpthread -ldl -lm))
$(eval $(call unit_test,worker/debug,$(SESSION_OBJS) $(call objects,runtime/json/framed.c),-ljansson -lpthread -ldl -lm))
# Their cells run in the ordinary worker, so a sanitized build gets the path of the ordinary products.
$(addprefix $(BUILD)/tests/,session_test debug_test): | $(if $(SAN),,products)
$(eval $(call unit_test,worker/flags,$(call objects,runtime/worker/session/flags.c $(wildcard runtime/base/*.c)),))
$(eval $(call unit_test,worker/guard,$(call objects,runtime/worker/words/guard.c $(wildcard runtime/base/*.c)),))
