namespace apart {
#include "kept.h"
}
apart::kept + apart::size
