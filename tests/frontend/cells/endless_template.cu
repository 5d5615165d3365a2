// left it is to be told
template <int N> struct A { static constexpr int value = A<N + 1>::value; };
int n = A<0>::value;
