// A kernel long enough that every compression of nvcc has something to do.
template <int N> __device__ float power(float x) {
    return N == 0 ? 1.0f : x * power<(N > 0 ? N - 1 : 0)>(x);
}

template <int N> __global__ void powers(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = power<N>(in[i]) + __expf(in[i]);
}

template __global__ void powers<1>(float *, const float *, int);
template __global__ void powers<2>(float *, const float *, int);
template __global__ void powers<9>(float *, const float *, int);
