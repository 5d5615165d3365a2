# Who asks, in every build; the process that is asked only where clang 19's libraries and headers are (`make setup` brings
# them on Debian 12). WARPBOOK_LLVM names another LLVM 19.
WARPBOOK_LLVM ?= /usr/lib/llvm-19
FRONTEND_OBJS := $(call objects,$(wildcard runtime/frontend/*.c))
WARPBOOK_OBJS += $(FRONTEND_OBJS)

ifneq ($(wildcard $(WARPBOOK_LLVM)/include/clang/CodeGen/CodeGenAction.h),)
ifneq ($(wildcard $(WARPBOOK_LLVM)/lib/libclang-cpp.so),)
FRONTEND_PROCESS := $(LIBDIR)/warpbook-frontend
FRONTEND_PROCESS_OBJS := $(patsubst %.cpp,$(BUILD)/obj/%.o,$(wildcard runtime/frontend/process/*.cpp))
FRONTEND_HEADERS := $(patsubst runtime/frontend/include/%,$(SHAREDIR)/frontend/%,$(wildcard runtime/frontend/include/*.h))
PRODUCTS += $(FRONTEND_PROCESS) $(FRONTEND_HEADERS)

# It runs the compiler on users' code and dies with it, so it is built as it is, whatever SAN says.
$(FRONTEND_PROCESS_OBJS): $(BUILD)/obj/%.o: %.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -I. -isystem $(WARPBOOK_LLVM)/include -D_GNU_SOURCE -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS \
	  -D__STDC_LIMIT_MACROS -DWB_CLANG='"$(WARPBOOK_LLVM)/bin/clang"' -std=c++17 $(WARNINGS) -O1 -fno-rtti \
	  -fno-exceptions -MMD -MP -c -o $@ $<
$(FRONTEND_PROCESS): $(FRONTEND_PROCESS_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) -o $@ $^ -L$(WARPBOOK_LLVM)/lib -Wl,-rpath,$(WARPBOOK_LLVM)/lib -lclang-cpp -lLLVM-19
$(FRONTEND_HEADERS): $(SHAREDIR)/frontend/%: runtime/frontend/include/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
endif
endif
