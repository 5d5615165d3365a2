class Vec { public: HD Vec() : x(0) {} HD float len() const; HD ~Vec() {} float x; };
HD float Vec::len() const { return x + 2; }
HD int hd(int a) { return a + 1; }
DEV float dv(float x) { return x * 2; }
KERNEL void kk(float *o) { Vec v; v.x = 3; *o = v.len() + dv(1); }
INLINE int il(int x) { static int n; return x + ++n; }
EMPTY int em(int x) { return x; }
template <class T> HD T tw(T x) { return x + x; }
HD
float below(float x) {
    return x; }
DEVVAR float table[3] = {1, 2, 3};
float *q; cudaMallocManaged(&q, 8);
