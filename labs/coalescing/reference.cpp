// Computes the sums in double, and the likely rounding error of fp32.
#include <warpbook_lab.h>

void reference(const float *m, float *row_sums, float *col_sums, int rows, int cols, double *row_sums_magnitude,
               double *col_sums_magnitude) {
    warpbook::terms *columns = new warpbook::terms[cols];
    for (int r = 0; r < rows; r++) {
        warpbook::terms row;
        for (int c = 0; c < cols; c++) {
            float x = m[(long long)r * cols + c];
            row.add(x);
            columns[c].add(x);
        }
        row_sums[r] = (float)row.sum;
        row_sums_magnitude[r] = row.error();
    }
    for (int c = 0; c < cols; c++) {
        col_sums[c] = (float)columns[c].sum;
        col_sums_magnitude[c] = columns[c].error();
    }
    delete[] columns;
}
