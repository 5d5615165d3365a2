comma := ,
# The precompiled set. KERNEL_ARCHS: `all` (machine code for the architectures below, and PTX; some
# five minutes on two cores), `ptx` (PTX alone: what softgpu runs, and what a GPU's driver compiles at
# the first launch), or a list such as `90a 100`. The default is what this machine runs: the code of its
# GPUs and PTX, or PTX alone where it has none.
# Code for X.0 runs on every X.Y: 80 is for 8.0, 8.6, 8.7 and 8.9, 100 for 10.3, 120 for 12.1.
# 90a is 9.0 with wgmma: its code runs on compute capability 9.0 alone, as all code for 9.0 does today.
KERNEL_ARCHS_ALL := 75 80 90a 100 120
ifeq ($(KERNEL_ARCHS),)
GPU_ARCHS := $(if $(wildcard /dev/nvidiactl),$(subst .,,$(sort $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null))))
KERNEL_ARCHS := $(if $(wildcard /dev/nvidiactl),$(if $(filter-out 75 80 86 87 88 89 90 100 103 110 120 121,$(or $(GPU_ARCHS),none)),all,$(GPU_ARCHS:90=90a)),ptx)
endif
KERNEL_CODE := $(if $(filter all,$(KERNEL_ARCHS)),$(KERNEL_ARCHS_ALL),$(filter-out ptx,$(KERNEL_ARCHS)))
# The oldest architecture that has the instructions: tensor cores multiply bf16 from 8.0 on; what is plain needs none.
KERNEL_OLDEST = $(if $(filter kernels/tensor/%,$(filter-out %_plain.cu,$<)),80,75)

KERNEL_LIB := $(LIBDIR)/libwarpbook_kernels.so
REFERENCE_LIB := $(LIBDIR)/libwarpbook_references.so
KERNEL_HEADER := $(SHAREDIR)/include/warpbook.h
KERNEL_NOTE := $(LIBDIR)/kernel_code
PRODUCTS += $(KERNEL_LIB) $(REFERENCE_LIB) $(KERNEL_HEADER) $(KERNEL_NOTE)

REGISTRY_OBJS := $(call objects,$(REGISTRY_SRCS))
WARPBOOK_OBJS += $(REGISTRY_OBJS)
CALL_OBJS := $(call objects,kernels/call.c)
$(CALL_OBJS): CPPFLAGS += -isystem $(CUDA_INCLUDE)

cuda_objects = $(patsubst %.cu,$(BUILD)/obj/%.cu.o,$(1))
KERNEL_OBJS := $(call cuda_objects,$(wildcard $(addprefix kernels/,$(addsuffix /*.cu,coalescing transpose reduce scan histogram softmax gemm tensor))))
REFERENCE_OBJS := $(call cuda_objects,$(wildcard kernels/references/*.cu))
# Compressed as far as it goes: kernels/tensor/11_parts.cu for four architectures takes 0.55 MB so, else 3.1.
NVCC_FLAGS := -std=c++17 -O3 -cudart shared -Xcompiler -fPIC,-Wall --threads 2 --compress-mode=size

# Changing KERNEL_ARCHS builds the set again. The note is written as this is read: a rule that looks each time
# would make `make -n` count the whole set.
ifneq ($(filter-out $(NO_COMPILE),$(or $(MAKECMDGOALS),all)),)
ifneq ($(strip $(file <$(BUILD)/obj/kernels/archs)),$(strip $(KERNEL_CODE)))
$(shell mkdir -p $(BUILD)/obj/kernels && echo '$(KERNEL_CODE)' >$(BUILD)/obj/kernels/archs)
endif
endif
$(BUILD)/obj/kernels/archs:
	@mkdir -p $(@D)
	@echo '$(KERNEL_CODE)' >$@

$(BUILD)/obj/kernels/%.cu.o: kernels/%.cu kernels/gencode.sh $(BUILD)/obj/kernels/archs
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)code=$$(kernels/gencode.sh '$(CC)' $< $(KERNEL_OLDEST) $(KERNEL_CODE)) && \
	  $(NVCC) $(NVCC_FLAGS) $$code -I. -Ikernels -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# A library that exists is complete, because a notebook may wait for it (runtime/base/pending.h).
$(KERNEL_LIB): $(KERNEL_OBJS)
$(REFERENCE_LIB): $(REFERENCE_OBJS)
$(KERNEL_LIB) $(REFERENCE_LIB):
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -shared -cudart shared -Xlinker -soname=$(@F) -o $@.new $^ -ldl
	$(Q)mv -f $@.new $@

# `warpbook doctor` and `compare` read this (runtime/device/code.c).
$(KERNEL_NOTE): $(BUILD)/obj/kernels/archs
	@mkdir -p $(@D)
	@echo '$(KERNEL_CODE)' >$@

# The sources, with their heads: what name?? shows in a notebook.
PRODUCTS += $(addprefix $(SHAREDIR)/,$(wildcard $(addprefix kernels/,$(addsuffix /*.cu*,coalescing transpose reduce scan histogram softmax gemm tensor tensor/common references))))
$(SHAREDIR)/kernels/%: kernels/%
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@

$(KERNEL_HEADER): kernels/warpbook.h
	@mkdir -p $(@D)
	$(Q)install -m 644 $< $@
