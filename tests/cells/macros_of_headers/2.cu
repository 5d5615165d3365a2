#undef M_PI
#define M_PI 3
M_PI
