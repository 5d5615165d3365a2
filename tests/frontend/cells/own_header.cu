// left it is to be told: 'timer.h' file not found
#include "timer.h"
int n = 1;
