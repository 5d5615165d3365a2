// A tree of templates with 2^100 leaves: no limit of depth stops it.
template <int DEPTH, unsigned long PATH> struct grow {
    static const long value = grow<DEPTH - 1, 2 * PATH>::value + grow<DEPTH - 1, 2 * PATH + 1>::value;
};
template <unsigned long PATH> struct grow<0, PATH> {
    static const long value = 1;
};
__global__ void nothing() {}
void solve(const float *in, float *out, int rows, int cols) {
    nothing<<<(int)grow<60, 1>::value, 1>>>();
}
