#include "timed.cuh"
#include "10_convolution.cuh"

// Sums of small whole numbers: exact in any order.
int main() {
    const int n = 4096;
    std::vector<float> image((size_t)n * n), weights(25), right((size_t)n * n);
    for (size_t i = 0; i < image.size(); i++) image[i] = (i * 7 + i / n * 3) % 16;
    Weights w;
    for (int k = 0; k < 25; k++) w.at[k] = weights[k] = (k * 5) % 7 - 2;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            for (int k = 0; k < 25; k++) {
                int y = r + k / 5 - 2, x = c + k % 5 - 2;
                if (y >= 0 && y < n && x >= 0 && x < n) right[(size_t)r * n + c] += weights[k] * image[(size_t)y * n + x];
            }
    float *in = device(image), *five = device(weights), *to = device<float>(image.size());
    cudaMemcpyToSymbol(::weights, weights.data(), 25 * sizeof(float));
    auto one = [&](const char *name, auto launch) {
        cudaMemset(to, 0xff, image.size() * sizeof(float));
        launch();
        held(name, to, right);
        timed(name, launch);
    };
    one("blur_plain", [&] { blur_plain<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, five, to, n, n); });
    one("blur_constant", [&] { blur_constant<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, to, n, n); });
    one("blur_tile<16, 16>", [&] { blur_tile<16, 16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, to, w, n, n); });
    one("blur_tile<32, 8>", [&] { blur_tile<32, 8><<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, to, w, n, n); });
    one("blur_rows", [&] { blur_rows<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, to, w, n, n); });
    one("the folded solution", [&] { solve(in, five, to, n, n); });
    timed("copy", [&] { cudaMemcpyAsync(to, in, image.size() * sizeof(float), cudaMemcpyDeviceToDevice); });
}
