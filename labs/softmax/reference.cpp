#include <math.h>

/* Computes row by row, in double. */
void reference(const float *in, float *out, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        const float *x = in + (long)r * cols;
        double most = x[0], sum = 0;
        for (int c = 1; c < cols; c++)
            most = fmax(most, x[c]);
        for (int c = 0; c < cols; c++)
            sum += exp(x[c] - most);
        for (int c = 0; c < cols; c++)
            out[(long)r * cols + c] = (float)(exp(x[c] - most) / sum);
    }
}
