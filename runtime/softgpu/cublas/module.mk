# softgpu's libcublas.so.13.

CUBLAS_MAP := runtime/softgpu/cublas/cublas.map
CUBLAS_LDFLAGS := -shared -Wl,-soname,libcublas.so.13 -Wl,--version-script=$(CUBLAS_MAP) \
    -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,now -Wl,-rpath,'$$ORIGIN'

CUBLAS_OBJS := $(call objects,$(wildcard runtime/softgpu/cublas/*.c))
$(CUBLAS_OBJS): CPPFLAGS += -isystem $(CUDA_INCLUDE)

SOFT_CUBLAS := $(LIBDIR)/softgpu/libcublas.so.13
ifneq ($(wildcard runtime/softgpu/launch/launch.c),)
PRODUCTS += $(SOFT_CUBLAS)
endif

.SECONDEXPANSION:
$(SOFT_CUBLAS): $(CUBLAS_OBJS) $$(SOFT_CUDART) | $(CUBLAS_MAP)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(CUBLAS_LDFLAGS) -o $@ $^ -lopenblas
