# softgpu's libcudart.so.13, and the half of it that the recorder (runtime/record) shares.

# The toolkit's folder, as nvcc names it: the nvcc on $PATH may be a script that calls the one in the toolkit.
TOOLKIT := $(abspath $(shell $(NVCC) --dryrun -x cu /dev/null 2>&1 | sed -n 's/^.. TOP=//p'))
CUDA_INCLUDE ?= $(firstword $(wildcard $(addprefix $(TOOLKIT)/,include targets/x86_64-linux/include)))

CUDART_DIR := runtime/softgpu/cudart
CUDART_SHARED_SRCS := $(filter-out %/list_errors.c,$(wildcard $(CUDART_DIR)/*.c $(CUDART_DIR)/graph/*.c))
CUDART_SOFT_SRCS := $(wildcard $(CUDART_DIR)/soft/*.c $(CUDART_DIR)/soft/twin/*.c)
CUDART_SHARED_OBJS := $(call objects,$(CUDART_SHARED_SRCS))
CUDART_SOFT_OBJS := $(call objects,$(CUDART_SOFT_SRCS) $(wildcard runtime/softgpu/debug/*.c))
CUDART_BASE_OBJS := $(call objects,$(addprefix runtime/,base/memory.c base/file.c base/buf.c base/text.c base/words.c base/language.c base/catalog.c \
    base/paths.c base/dir.c base/proc.c base/sha256.c json/json.c json/line.c json/framed.c) $(MODEL_SRCS))
FATBIN_OBJ := $(call objects,$(CUDART_DIR)/fatbin.c)
CUDART_LIBS := -lzstd -llz4 -ljansson -lpthread -ldl -lm

$(CUDART_SHARED_OBJS) $(CUDART_SOFT_OBJS): CPPFLAGS += -isystem $(CUDA_INCLUDE)

# Names of the toolkit's own libraries: exports.inc lists the functions of one, errors.inc the error codes.
CUDA_LIB := $(dir $(firstword $(wildcard $(addsuffix /libcublas.so.13,$(addprefix $(TOOLKIT)/,lib lib64 targets/x86_64-linux/lib)))))
EXPORTS := $(patsubst %,$(BUILD)/obj/runtime/softgpu/%/exports.inc,cudart cublas)
CUDART_ERRORS := $(BUILD)/obj/$(CUDART_DIR)/errors.inc
LIST_ERRORS := $(BUILD)/obj/$(CUDART_DIR)/list_errors
$(EXPORTS): $(BUILD)/obj/runtime/softgpu/%/exports.inc: $(CUDA_LIB)lib%.so.13
	@mkdir -p $(@D)
	$(Q)nm -D --defined-only $< | sed -nE '/_pt(sz|ds)@/d; s/.* T (\w+)@.*/EXPORT(\1)/p' > $@.new
	$(Q)test -s $@.new && mv -f $@.new $@
# The entry points for --default-stream per-thread. Streams run in order here, so both names are one function.
CUDART_ALIASES := $(BUILD)/obj/$(CUDART_DIR)/aliases
$(CUDART_ALIASES): $(CUDA_LIB)libcudart.so.13
	@mkdir -p $(@D)
	$(Q)nm -D --defined-only $< | sed -nE 's/.* T (\w+)(_pt(sz|ds))@.*/-Wl,--defsym=\1\2=\1/p' > $@
$(LIST_ERRORS): $(LIST_ERRORS).o
	$(Q)$(CC) $(LDFLAGS) -o $@ $< -ldl
$(CUDART_ERRORS): $(LIST_ERRORS) $(CUDA_LIB)libcudart.so.13
	$(Q)$^ > $@.new && mv -f $@.new $@
$(call objects,$(CUDART_DIR)/error.c): $(CUDART_ERRORS)
$(call objects,$(CUDART_DIR)/stubs.c runtime/softgpu/cublas/stubs.c runtime/record/cublas.c): $(EXPORTS)
$(call objects,$(CUDART_DIR)/error.c $(CUDART_DIR)/stubs.c runtime/softgpu/cublas/stubs.c runtime/record/cublas.c): CPPFLAGS += -I$(BUILD)/obj

# A drop-in library: NVIDIA's soname and symbol version, and nothing else visible.
CUDART_MAP := $(CUDART_DIR)/cudart.map
CUDART_LDFLAGS := -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$(CUDART_MAP) \
    -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete @$(CUDART_ALIASES)

SOFT_CUDART := $(LIBDIR)/softgpu/libcudart.so.13
ifneq ($(wildcard runtime/softgpu/launch/launch.c),)
PRODUCTS += $(SOFT_CUDART)
endif
# The engine's objects, SOFTGPU_OBJS, are known once every module.mk is read.
.SECONDEXPANSION:
$(SOFT_CUDART): $(CUDART_SHARED_OBJS) $(CUDART_SOFT_OBJS) $(CUDART_BASE_OBJS) $$(SOFTGPU_OBJS) | $(CUDART_MAP) $(CUDART_ALIASES)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(CUDART_LDFLAGS) -o $@.new $^ $(CUDART_LIBS) -ldw -lelf
	$(Q)mv -f $@.new $@

$(eval $(call unit_test,softgpu/fatbin,$(FATBIN_OBJ) $(call objects,runtime/base/buf.c) $(LANGUAGE_OBJS),-lzstd -llz4))
$(eval $(call fuzzer,fatbin,$(CUDART_DIR)/fatbin.c runtime/base/buf.c $(LANGUAGE_SRCS),-lzstd -llz4))

# Inputs of fatbin_test: the same device code in each of nvcc's ways to store it.
FATBIN_SAMPLES := $(foreach mode,none size speed,$(BUILD)/tests/fatbin/$(mode).fatbin) \
    $(BUILD)/tests/fatbin/machine.fatbin
$(BUILD)/tests/fatbin/%.fatbin: tests/unit/softgpu/fatbin/kernel.cu
	$(call say,NVCC,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -fatbin --compress-mode=$* -gencode arch=compute_80,code=compute_80 \
	    -gencode arch=compute_90,code=compute_90 -gencode arch=compute_100,code=compute_100 -o $@ $<
$(BUILD)/tests/fatbin/machine.fatbin: tests/unit/softgpu/fatbin/kernel.cu
	$(call say,NVCC,$@)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -fatbin -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -o $@ $<
$(BUILD)/tests/fatbin_test: | $(FATBIN_SAMPLES)
