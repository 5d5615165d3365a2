// The slow kernel, for comparing results and times.
__global__ void slow_smooth(float *out, const float *in, int sensors, int length) {
    __shared__ float s[128][32];
    int first = blockIdx.x * 128, t = threadIdx.x, lane = t % 32;
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) s[row][lane] = in[(first + row) * length + lane];
    __syncthreads();
    if (first + t < sensors) {
        float y = s[t][0];
        for (int k = 1; k < length; k++) s[t][k] = y += 0.25f * (s[t][k] - y);
        for (int k = length - 2; k >= 0; k--) s[t][k] = y += 0.25f * (s[t][k] - y);
    }
    __syncthreads();
    for (int row = t / 32; row < 128; row += 4)
        if (first + row < sensors && lane < length) out[(first + row) * length + lane] = s[row][lane];
}

static void try_smooth(int sensors, int length) {
    float *in = step::some<float>(sensors * length, -900, 900);
    float *out = step::poisoned<float>(sensors * length), *expected = step::poisoned<float>(sensors * length);
    slow_smooth<<<(sensors + 127) / 128, 128>>>(expected, in, sensors, length);
    smooth<<<(sensors + 127) / 128, 128>>>(out, in, sensors, length);
    step::wait();
    for (int i = 0; i < sensors * length; i++)
        if (!(fabsf(out[i] - expected[i]) <= 0.01f))
            step::wrong(step::either("Of %d sensors with %d readings each, reading %d of sensor %d should become %g; the answer is %g.",
                                     "%1$d 个传感器、每个 %2$d 个读数中，第 %4$d 个传感器的第 %3$d 个读数应当成为 %5$g；得到的是 %6$g。"), sensors, length,
                        i % length, i / length, expected[i], out[i]);
}

static void check() {
    try_smooth(step::between(1, 40), step::between(1, 31));
    try_smooth(step::between(140, 300), step::between(5, 31));
    try_smooth(step::between(38000, 42000), 32);
}
