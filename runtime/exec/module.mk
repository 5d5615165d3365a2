EXEC_OBJS := $(call objects,$(wildcard runtime/exec/*.c))
WARPBOOK_OBJS += $(EXEC_OBJS)
WARPBOOK_LIBS += -ljansson
