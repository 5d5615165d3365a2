WARPBOOK_OBJS += $(call objects,$(wildcard runtime/doctor/*.c))
WARPBOOK_LIBS += -ljansson
