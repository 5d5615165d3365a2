// One that stays an #include line: its lines are no declarations, and are needed where they stand.
#define X(name, value) name##_value = value,
enum Values {
#include "inside.h"
};
#undef X
green_value
