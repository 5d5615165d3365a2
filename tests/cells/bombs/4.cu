#include "/tmp/warpbook_bomb_self.h"
int nothing = 1;
