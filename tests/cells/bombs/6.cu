template <int DEPTH, unsigned long PATH> struct grow {
    static const long value = grow<DEPTH - 1, 2 * PATH>::value + grow<DEPTH - 1, 2 * PATH + 1>::value;
};
template <unsigned long PATH> struct grow<0, PATH> { static const long value = 1; };
int v = grow<60, 1>::value;
