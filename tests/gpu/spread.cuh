// spread.cuh: lines are not equally far. Clocks of single lines that warps ask L2 or memory for, and of the slowest of four,
// as quantiles: runtime/softgpu/watch/trace/traffic.c draws from them.
#pragma once

__device__ inline unsigned mixed(unsigned x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Each warp asks for LINES lines at random, at once, and notes the clocks until it has them all; 40 times.
template <int LINES> __global__ void ask_for_lines(const float *data, unsigned lines, unsigned seed, float *out, int *took) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    float sum = 0;
    for (int turn = 0; turn < 40; turn++) {
        const float *from[LINES];
        float value[LINES];
        for (int k = 0; k < LINES; k++)
            from[k] = data + (size_t)(mixed(mixed(seed + turn * 7919u) + (warp * LINES + k) * 31u) % lines) * 32 + lane;
        __syncthreads();
        long long begin = clock64();
#pragma unroll
        for (int k = 0; k < LINES; k++)
            value[k] = __ldcg(from[k]);
#pragma unroll
        for (int k = 0; k < LINES; k++)
            sum += value[k];
        long long end = clock64() + (sum == 12345.678f); // which needs the sum
        if (lane == 0)
            took[turn * warps + warp] = (int)(end - begin);
    }
    if (sum == 1.25f)
        *out = sum;
}

__global__ void read_all(const float *data, size_t n, float *out) {
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        sum += __ldcg(data + i);
    if (sum == 1.25f)
        *out = sum;
}

// Measures loads from `bytes` bytes. `held`: a first pass brings them into L2. Otherwise they are many times L2's size.
template <int LINES> static void spread_of(const char *where, const float *data, size_t bytes, bool held, float *out) {
    const int warps = 4, all = 40 * multiprocessors * warps;
    int *took = room<int>(all);
    ask_for_lines<LINES><<<multiprocessors, 32 * warps>>>(data, (unsigned)(bytes / 128), 1, out, took); // the code is there
    if (held)
        read_all<<<8 * multiprocessors, 256>>>(data, bytes / 4, out);
    ask_for_lines<LINES><<<multiprocessors, 32 * warps>>>(data, (unsigned)(bytes / 128), 20261124, out, took);
    std::vector<int> clocks(all);
    must(cudaMemcpy(clocks.data(), took, all * sizeof(int), cudaMemcpyDeviceToHost), "copying the clocks");
    std::sort(clocks.begin(), clocks.end());
    for (int k = 1; k < 32; k += 2) // the middles of sixteen equal parts
        say(std::string(LINES == 1 ? "a line from " : "the slowest of 4 lines from ") + where + ", " + std::to_string(k) + " of 32 within",
            clocks[(size_t)all * k / 32], "clocks");
}

static void spreads(float *out) {
    const size_t large = (size_t)4 << 30, small = (size_t)12 << 20;
    float *data = room<float>(large / 4);
    must(cudaMemset(data, 0, large), "filling memory");
    spread_of<1>("memory", data, large, false, out);
    spread_of<4>("memory", data, large, false, out);
    spread_of<1>("L2, 12 MB", data, small, true, out);
    spread_of<4>("L2, 12 MB", data, small, true, out);
}
