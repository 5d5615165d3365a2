#include <cmath>
#include <fstream>
#include <sstream>
std::ostringstream log; log << "first "; for (int pow = 2; pow < 4; pow++) log << pow;
int exp[3] = {1, 2, 3}; for (int e : exp) log << e; log.str()
