__global__ void square(Complex *z) { z[0] = z[0] * z[0]; }
template <class F> __global__ void each(F f) { f(threadIdx.x); }
struct Ramp { __device__ float operator()(int i) const { return gain * i; } };
__global__ void fill(float *p) { p[2] = Ramp()(2); }
Complex *z;
cudaMallocManaged(&z, sizeof *z);
float *p;
cudaMallocManaged(&p, 4 * sizeof *p);
void set_gain(float g) { cudaMemcpyToSymbol(gain, &g, sizeof g); }
void amplify() {
    float *out = p;
    each<<<1, 1>>>([=] __device__ (int i) { out[i] = gain + 0.5f; });
    fill<<<1, 1>>>(p);
    cudaDeviceSynchronize();
}
int refers() { return r * 10 + *q; }
int tenfold() { return once() * 10; }
int counts() { static int n; return n += LIMIT; }
int names() { return NAME; }
std::vector<std::function<int()>> held = {[] { return LIMIT; }, [] { return NAME; }};
int taken = [] { return LIMIT; }();
int boxed() { return box.get(); }
int narrowed() { return *wide(); }
*z = {1, 2};
square<<<1, 1>>>(z);
amplify();
printf("%g %g %g %g %d %d %d %d\n", z->re, z->im, p[0], p[2], refers(), tenfold(), names(), boxed());
