// left it has a static variable with an initialiser that has to run
inline int next() { static double start = sqrt(2.0); start += 1; return (int)start; }
