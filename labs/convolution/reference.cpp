#include <math.h>

/* Computes each pixel in double, and the magnitude that scales its error. */
void reference(const float *in, const float *weights, float *out, int rows, int cols, double *out_magnitude) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            double sum = 0, magnitude = 0;
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++) {
                    int y = r + i - 2, x = c + j - 2;
                    if (y < 0 || y >= rows || x < 0 || x >= cols)
                        continue;
                    double term = (double)weights[5 * i + j] * in[(long)y * cols + x];
                    sum += term;
                    magnitude += fabs(term);
                }
            out[(long)r * cols + c] = (float)sum;
            out_magnitude[(long)r * cols + c] = magnitude;
        }
}
