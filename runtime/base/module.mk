BASE_OBJS := $(call objects,$(wildcard runtime/base/*.c))
# Messages in the user's language: part of every program that has some.
LANGUAGE_SRCS := runtime/base/language.c runtime/base/catalog.c
LANGUAGE_OBJS := $(call objects,$(LANGUAGE_SRCS))
WARPBOOK_OBJS += $(BASE_OBJS)
$(eval $(call unit_test,base,$(BASE_OBJS),))
$(eval $(call unit_test,cgroup,$(BASE_OBJS),))
$(eval $(call unit_test,catalog,$(LANGUAGE_OBJS),))
$(eval $(call fuzzer,catalog,$(LANGUAGE_SRCS),))
