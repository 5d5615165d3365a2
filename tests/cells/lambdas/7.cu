{
    auto every = [=] { return n + arr[0]; };
    auto copy = [arr]() mutable { return ++arr[0]; };
    auto inner = [=] { auto now = [=] { return n; }; return now(); };
    auto inner2 = [n] { auto now = [n] { return n; }; return now(); };
    auto late = [&] { auto now = [=] { return n; }; n = 70; return now(); };
    n = 9; arr[0] = 1;
    printf("%d %d %d %d\n", every(), copy(), inner(), inner2());
    printf("%d\n", late());
}
template <class F> __global__ void show(F f) { printf("%d\n", f()); }
show<<<1, 1>>>([=] __device__ { return arr[0] + arr[1] + n; });
