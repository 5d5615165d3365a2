#include "fault.h"
throw_up();
