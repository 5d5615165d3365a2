DRAW_OBJS := $(call objects,$(wildcard runtime/draw/*.c))
WARPBOOK_OBJS += $(DRAW_OBJS)
WARPBOOK_LIBS += -ljansson
