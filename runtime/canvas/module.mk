CANVAS_OBJS := $(call objects,$(wildcard runtime/canvas/*.c))
WARPBOOK_OBJS += $(CANVAS_OBJS)
WARPBOOK_LIBS += -ljansson
