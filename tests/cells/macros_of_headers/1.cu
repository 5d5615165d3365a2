#include <cmath>
template <class T> T circle(T r) { return 2 * M_PI * r; }
