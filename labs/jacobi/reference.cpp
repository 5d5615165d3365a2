#include <vector>

/* Computes step by step, in double. */
void reference(const float *start, const float *source, float *out, int rows, int cols, int steps) {
    std::vector<double> now(start, start + (long)rows * cols), next = now;
    for (int s = 0; s < steps; s++) {
        for (int r = 1; r < rows - 1; r++)
            for (int c = 1; c < cols - 1; c++) {
                long i = (long)r * cols + c;
                next[i] = (now[i - cols] + now[i + cols] + now[i - 1] + now[i + 1] + source[i]) / 4;
            }
        now.swap(next);
    }
    for (long i = 0; i < (long)rows * cols; i++)
        out[i] = (float)now[i];
}
