#include "timed.cuh"
#include "12_jacobi.cuh"

static void of(int n) {
    std::vector<float> start((size_t)n * n), none((size_t)n * n);
    for (size_t i = 0; i < start.size(); i++) start[i] = i / n == 0 ? 64 : (i * 37 + i / n * 11) % 8;
    std::vector<float> now = start, next = start;
    for (int s = 0; s < 4; s++, std::swap(now, next))
        for (int r = 1; r < n - 1; r++)
            for (int c = 1; c < n - 1; c++) {
                size_t i = (size_t)r * n + c;
                next[i] = (now[i - n] + now[i + n] + now[i - 1] + now[i + 1]) / 4;
            }
    float *from = device(start), *source = device(none), *to = device<float>(start.size()), *other = device<float>(start.size());
    auto one = [&](const char *name, auto launch) {
        char full[64];
        snprintf(full, sizeof full, "%s %d", name, n);
        timed(full, launch);
    };
    dim3 grid(n / 32, n / 8), tiles(n / 24, n / 24);
    step_over<<<grid, dim3(32, 8)>>>(from, to, n);
    step_over<<<grid, dim3(32, 8)>>>(to, other, n);
    step_over<<<grid, dim3(32, 8)>>>(other, to, n);
    step_over<<<grid, dim3(32, 8)>>>(to, other, n);
    held("four of step_over", other, now);
    four_steps<<<tiles, dim3(32, 32)>>>(from, to, n);
    held("four_steps", to, now);
    cudaMemset(to, 0xff, start.size() * sizeof(float));
    solve(from, source, to, n, n, 4);
    held("the folded solution", to, now, 1e-5);
    one("step_over", [&] { step_over<<<grid, dim3(32, 8)>>>(from, to, n); });
    one("four_steps", [&] { four_steps<<<tiles, dim3(32, 32)>>>(from, to, n); });
    dim3 middles((n + MIDDLE - 1) / MIDDLE, (n + MIDDLE - 1) / MIDDLE);
    one("the folded solution, 4 steps", [&] { steps_of<<<middles, dim3(WIDE, GROUPS)>>>(from, source, to, n, n, 4); });
    one("copy", [&] { cudaMemcpyAsync(to, from, start.size() * sizeof(float), cudaMemcpyDeviceToDevice); });
}

int main() {
    of(192);
    of(4800);
}
