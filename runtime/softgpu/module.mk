# The PTX front end (ptx_*.c) and the machine that runs it (everything else here). libcudart.so.13,
# which is made of SOFTGPU_OBJS and more, is in cudart/module.mk.
SOFTGPU_PTX_SRCS := $(sort $(wildcard runtime/softgpu/ptx_*.c))
SOFTGPU_ENGINE_SRCS := $(sort $(filter-out $(SOFTGPU_PTX_SRCS),$(wildcard runtime/softgpu/*.c)))
SOFTGPU_PTX_OBJS := $(call objects,$(SOFTGPU_PTX_SRCS))
SOFTGPU_ENGINE_OBJS := $(call objects,$(SOFTGPU_ENGINE_SRCS))
SOFTGPU_OBJS := $(SOFTGPU_PTX_OBJS) $(SOFTGPU_ENGINE_OBJS)

$(eval $(call unit_test,ptx,$(SOFTGPU_PTX_OBJS) $(call objects,runtime/base/buf.c runtime/base/text.c),))
$(eval $(call fuzzer,ptx,$(SOFTGPU_PTX_SRCS),))
