DEVICE_OBJS := $(call objects,$(addprefix runtime/device/,clangd.c code.c device.c shell.c toolkit.c))
WARPBOOK_OBJS += $(DEVICE_OBJS)
$(eval $(call unit_test,device,$(call objects,runtime/device/code.c) $(BASE_OBJS),))
PRODUCTS += $(LIBDIR)/warpbook-probe
$(LIBDIR)/warpbook-probe: $(call objects,runtime/device/probe.c)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ldl

# Programs that a notebook's shell finds before and behind its PATH (shell.c).
SHELL_FIRST := $(addprefix $(LIBDIR)/shell/first/,nvcc ncu nsys nvprof compute-sanitizer cuda-memcheck cuda-gdb)
SHELL_LAST := $(LIBDIR)/shell/last/nvidia-smi
PRODUCTS += $(SHELL_FIRST) $(SHELL_LAST)
$(LIBDIR)/shell/first/nvcc: runtime/device/shell/nvcc
$(filter-out %/nvcc,$(SHELL_FIRST)) $(SHELL_LAST): runtime/device/shell/stand_in
$(SHELL_FIRST) $(SHELL_LAST):
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@
