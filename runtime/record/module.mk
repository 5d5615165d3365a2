# The recording libcudart.so.13: the shared half of softgpu's (CUDART_SHARED_OBJS), the PTX parser
# (SOFTGPU_PTX_OBJS), its own hooks and the model (CUDART_BASE_OBJS): occupancy and ptxas.

RECORD_OBJS := $(call objects,$(filter-out %/cublas.c,$(wildcard runtime/record/*.c)))
$(RECORD_OBJS): CPPFLAGS += -isystem $(CUDA_INCLUDE)

RECORD_CUDART := $(LIBDIR)/record/libcudart.so.13
RECORD_CUBLAS := $(LIBDIR)/record/libcublas.so.13
ifneq ($(wildcard runtime/softgpu/ptx/parse_module.c),)
PRODUCTS += $(RECORD_CUDART) $(RECORD_CUBLAS)
endif

.SECONDEXPANSION:
$(RECORD_CUDART): $$(CUDART_SHARED_OBJS) $(RECORD_OBJS) $$(SOFTGPU_PTX_OBJS) $$(CUDART_BASE_OBJS) $(call objects,runtime/softgpu/machine/refused.c) | $$(CUDART_MAP) $$(CUDART_ALIASES)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(CUDART_LDFLAGS) -o $@ $^ $(CUDART_LIBS)

$(RECORD_CUBLAS): $(call objects,runtime/record/cublas.c) $(RECORD_CUDART) | $$(CUBLAS_MAP)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(CUBLAS_LDFLAGS) -o $@ $^
