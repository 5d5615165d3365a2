#include "timer.h"
#include "lib/vec.h"  // its parts, too
timer_begin();
geo::next()
