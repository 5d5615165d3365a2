void reference(const float *in, float *out, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        out[r] = in[(long)r * cols];
        for (int c = 1; c < cols; c++)
            if (in[(long)r * cols + c] > out[r])
                out[r] = in[(long)r * cols + c];
    }
}
