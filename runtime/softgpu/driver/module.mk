# libcuda.so.1: every name that cuda.h knows, all of them the one function of driver.c.
SOFT_DRIVER := $(LIBDIR)/softgpu/libcuda.so.1
DRIVER_NAMES := $(BUILD)/obj/runtime/softgpu/driver/names
PRODUCTS += $(SOFT_DRIVER)
$(DRIVER_NAMES): $(CUDA_INCLUDE)/cuda.h
	@mkdir -p $(@D)
	$(Q)grep -oE '\bcu[A-Z][A-Za-z0-9]*(_v[0-9]+)?' $< | sort -u | grep -vxE 'cuGetError(Name|String)' | \
	    sed 's/.*/-Wl,--defsym=&=softgpu_driver/' > $@
$(SOFT_DRIVER): $(call objects,runtime/softgpu/driver/driver.c) $(DRIVER_NAMES)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,-z,now -o $@ $(filter %.o,$^) @$(DRIVER_NAMES)
