#include <math.h>

/* Computes row by row, in double, with the magnitude that scales each error. */
void reference(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows, int cols,
               int entries, double *y_magnitude) {
    for (int r = 0; r < rows; r++) {
        double sum = 0, magnitude = 0;
        for (int i = starts[r]; i < starts[r + 1]; i++) {
            double term = (double)values[i] * x[columns[i]];
            sum += term;
            magnitude += fabs(term);
        }
        y[r] = (float)sum;
        y_magnitude[r] = magnitude;
    }
}
