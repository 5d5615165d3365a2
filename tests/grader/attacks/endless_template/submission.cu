// Instantiates without end.
template <int N> struct grow {
    static const long value = grow<N + 1>::value + grow<N + 2>::value;
};
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols){
    nothing<<<(int)grow<0>::value, 1>>>();
}
