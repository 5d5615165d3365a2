struct Timer { int log = 7; int get() const { return log; } };
void note(const char *s) { log << s << ::log(1.0) << log(1.0); }
__global__ void curve(float *x) { x[threadIdx.x] = expf(0.f) + exp(0.0) + floor(2.5); }
note(" second"); curve<<<1, 2>>>(x); cudaDeviceSynchronize();
printf("%s %d %d %.0f\n", log.str().c_str(), Timer().get() + Timer().log, exp[1], x[1]);
