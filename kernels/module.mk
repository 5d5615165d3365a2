comma := ,
# The precompiled set. KERNEL_ARCHS: `all` (machine code for every architecture below, and PTX; about
# three minutes on two cores), `ptx` (PTX alone: what softgpu runs, and what a GPU's driver compiles at
# the first launch), or a list such as `90a 100`. The default is `all` where there is an NVIDIA GPU.
# 90a is 9.0 with wgmma: its code runs on compute capability 9.0 alone, as all code for 9.0 does today.
KERNEL_ARCHS ?= $(if $(wildcard /dev/nvidiactl),all,ptx)
KERNEL_ARCHS_ALL := 75 80 86 89 90a 100 120
KERNEL_CODE := $(foreach a,$(if $(filter all,$(KERNEL_ARCHS)),$(KERNEL_ARCHS_ALL),$(filter-out ptx,$(KERNEL_ARCHS))),\
                 -gencode arch=compute_$(a)$(comma)code=sm_$(a))
# PTX of the oldest architecture that has the instructions: tensor cores multiply bf16 from 8.0 on.
KERNEL_PTX = $(if $(filter kernels/tensor/%,$<),80,75)

KERNEL_LIB := $(LIBDIR)/libwarpbook_kernels.so
REFERENCE_LIB := $(LIBDIR)/libwarpbook_references.so
KERNEL_HEADER := $(SHAREDIR)/include/warpbook.h
PRODUCTS += $(KERNEL_LIB) $(REFERENCE_LIB) $(KERNEL_HEADER)

REGISTRY_OBJS := $(call objects,kernels/registry.c kernels/shapes.c)
WARPBOOK_OBJS += $(REGISTRY_OBJS)

cuda_objects = $(patsubst %.cu,$(BUILD)/obj/%.cu.o,$(1))
KERNEL_OBJS := $(call cuda_objects,$(wildcard $(addprefix kernels/,$(addsuffix /*.cu,coalescing transpose reduce gemm tensor))))
REFERENCE_OBJS := $(call cuda_objects,$(wildcard kernels/references/*.cu))
NVCC_FLAGS := -std=c++17 -O3 -cudart shared -Xcompiler -fPIC,-Wall --threads 2

# Changing KERNEL_ARCHS builds the set again.
$(BUILD)/obj/kernels/archs: FORCE
	@mkdir -p $(@D)
	@echo '$(KERNEL_CODE)' | cmp -s - $@ || echo '$(KERNEL_CODE)' > $@
.PHONY: FORCE

$(BUILD)/obj/kernels/%.cu.o: kernels/%.cu $(BUILD)/obj/kernels/archs
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCC_FLAGS) $(KERNEL_CODE) -gencode arch=compute_$(KERNEL_PTX),code=compute_$(KERNEL_PTX) \
	  -I. -Ikernels -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(KERNEL_LIB): $(KERNEL_OBJS)
$(REFERENCE_LIB): $(REFERENCE_OBJS)
$(KERNEL_LIB) $(REFERENCE_LIB):
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -shared -cudart shared -Xlinker -soname=$(@F) -o $@ $^ -ldl

$(KERNEL_HEADER): kernels/warpbook.h
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@
