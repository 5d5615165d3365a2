/* Computes the correct results in serial code. The parameters are those of solve(), in host memory. */
void reference(const float *x, float *y, float a, int n) {
    for (int i = 0; i < n; i++)
        y[i] = (float)((double)a * x[i] + y[i]);
}
