# warpbook grade, and the processes it runs: warpbook-plan and warpbook-expect in the sandbox,
# warpbook-replay and warpbook-check beside it. jansson is linked into them, so that they need nothing but libc (and, at
# run time, a libcudart).
GRADER_JOB_SRCS := $(wildcard grader/job/*.c) $(addprefix grader/lab/,expr.c fills.c types.c) \
                   $(REGISTRY_SRCS)
GRADER_LAB_SRCS := $(addprefix grader/lab/,lab.c cxx.c args.c read_rival.c values.c reader.c) runtime/json/line.c
GRADER_SHARED := $(call objects,$(GRADER_JOB_SRCS))
GRADER_LAB := $(call objects,$(GRADER_LAB_SRCS))
GRADER_CHECK := $(filter-out %/check_main.o,$(call objects,$(wildcard grader/check/*.c)))
GRADER_REPLAY := $(call objects,$(wildcard grader/replay/*.c) kernels/call.c)
GRADER_BASE := $(call objects,$(wildcard runtime/base/*.c) runtime/json/json.c runtime/json/finding.c)

GRADER_ROOMS := lab job submission stages report score author book feedback
WARPBOOK_OBJS += $(call objects,$(wildcard grader/*.c $(patsubst %,grader/%/*.c,$(GRADER_ROOMS))))
WARPBOOK_LIBS += -ljansson -lsqlite3

$(GRADER_REPLAY): CPPFLAGS += -isystem $(CUDA_INCLUDE)

# Files that `warpbook lab new` copies.
LAB_TEMPLATE := $(patsubst grader/author/template/%,%,$(wildcard $(addprefix grader/author/template/,*.* solutions/*.cu)))
PRODUCTS += $(addprefix $(SHAREDIR)/lab_template/,$(LAB_TEMPLATE))
$(SHAREDIR)/lab_template/%: grader/author/template/%
	@mkdir -p $(@D)
	@cp $< $@

# ... and what `warpbook lab gradescope` and `lab classroom` write.
LAB_EXPORT := gradescope/setup.sh gradescope/run_autograder classroom/.github/workflows/classroom.yml
PRODUCTS += $(addprefix $(SHAREDIR)/lab_export/,$(LAB_EXPORT))
$(SHAREDIR)/lab_export/%: grader/author/export/%
	@mkdir -p $(@D)
	@cp $< $@

GRADER_PROGRAMS := $(addprefix $(LIBDIR)/warpbook-,plan replay expect check)
PRODUCTS += $(GRADER_PROGRAMS)
$(LIBDIR)/warpbook-plan: $(call objects,grader/plan/plan_main.c)
$(LIBDIR)/warpbook-replay: $(GRADER_REPLAY)
$(LIBDIR)/warpbook-expect: $(call objects,grader/expect/expect_main.c)
$(LIBDIR)/warpbook-check: $(call objects,grader/check/check_main.c) $(GRADER_CHECK)
$(GRADER_PROGRAMS): $(GRADER_SHARED) $(GRADER_BASE)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -l:libjansson.a -lpthread -ldl -lm

# Drawing a test's inputs goes over megabytes. Without optimisation the sanitized programs take five times as long.
$(call objects,$(wildcard grader/job/*.c)): EXTRA_CFLAGS += $(if $(SAN),-O1)

$(eval $(call unit_test,grader/lab,$(GRADER_LAB) $(GRADER_SHARED) $(GRADER_BASE),-ljansson -lm))
$(eval $(call fuzzer,lab,$(GRADER_LAB_SRCS) $(addprefix grader/lab/,expr.c fills.c types.c) $(REGISTRY_SRCS) $(wildcard runtime/base/*.c),-ljansson -lm))
$(eval $(call unit_test,grader/known,$(call objects,grader/stages/known.c) $(GRADER_BASE),-ljansson -lm))
$(eval $(call unit_test,grader/input,$(GRADER_SHARED) $(GRADER_BASE),-ljansson -lm))
$(eval $(call unit_test,grader/own,$(GRADER_LAB) $(GRADER_CHECK) $(GRADER_SHARED) $(GRADER_BASE),-ljansson -lpthread -lm))
OUR_LABS := $(BUILD)/obj/tests/unit/grader/our_labs.cpp.o
$(OUR_LABS): tests/unit/grader/our_labs.cpp
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) -I. -Ilabs -std=c++17 $(WARNINGS) -fPIC $(CFLAGS) $(EXTRA_CFLAGS) -MMD -MP -c -o $@ $<
OUR_LABS += $(call objects,tests/unit/grader/our_labs.c) $(GRADER_LAB) $(GRADER_CHECK) $(GRADER_SHARED) $(GRADER_BASE)
$(eval $(call unit_test,grader/our_labs,$(OUR_LABS),-ljansson -lpthread -lm -lstdc++))
$(eval $(call unit_test,grader/our_gemm,$(OUR_LABS),-ljansson -lpthread -lm -lstdc++))
$(eval $(call unit_test,grader/score,$(call objects,$(wildcard grader/score/*.c grader/report/*.c runtime/canvas/*.c) runtime/measure/stats.c $(addprefix runtime/model/,gpu.c reference.c)) $(GRADER_LAB) $(GRADER_SHARED) $(GRADER_BASE),-ljansson -lm))
GRADER_BOOK := $(call objects,$(wildcard grader/book/*.c grader/report/*.c runtime/canvas/*.c) grader/lab/find.c)
$(eval $(call unit_test,grader/book,$(GRADER_BOOK) $(GRADER_LAB) $(GRADER_SHARED) $(GRADER_BASE),-lsqlite3 -ljansson -lm))
$(eval $(call unit_test,grader/feedback,$(call objects,$(wildcard grader/feedback/*.c) runtime/measure/table.c runtime/measure/stats.c runtime/compile/direct/parts/tokens.c grader/submission/submission.c) $(GRADER_BOOK) $(GRADER_LAB) $(GRADER_SHARED) $(GRADER_BASE),-lsqlite3 -ljansson -lm))
$(eval $(call unit_test,grader/plan,$(call objects,grader/replay/plan.c $(wildcard grader/submission/*.c)) $(GRADER_LAB) $(GRADER_SHARED) $(GRADER_BASE),-ljansson -lm))
$(eval $(call unit_test,grader/timing,$(filter-out %/replay_main.o,$(GRADER_REPLAY)) $(GRADER_SHARED) $(GRADER_BASE),-ljansson -lpthread -ldl -lm))
$(BUILD)/obj/tests/unit/grader/timing_test.o: CPPFLAGS += -isystem $(CUDA_INCLUDE)
$(eval $(call fuzzer,plan,grader/replay/plan.c grader/submission/elf.c $(GRADER_JOB_SRCS) $(wildcard runtime/base/*.c),-ljansson -lm))
