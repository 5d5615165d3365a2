template <int N> struct endless { static const int v = endless<N + 1>::v; };
int nothing = 1;
int deep = endless<0>::v;
