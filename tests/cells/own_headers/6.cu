int before = 1;
#include "fault.h"
int after = before + nothing_of_that_name;
