// Computes the correct results serially.
void reference(const float *in, int *where, int *found, int n, const unsigned *words, unsigned *sealed, int m,
               const float *readings, float *smoothed, int sensors, int length) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 0.98f)
            where[count++] = i;
    found[0] = count;
    for (int i = count; i < n; i++)
        where[i] = -1;
    for (int i = 0; i < m; i++) {
        unsigned x = words[i];
        for (int round = 0; round < 128 && i % 16 == 0; round++) {
            x = x * 1664525u + 1013904223u;
            x ^= x >> 13;
        }
        sealed[i] = x;
    }
    for (long long s = 0; s < sensors; s++) {
        double y = readings[s * length], row[32];
        for (int k = 0; k < length; k++)
            row[k] = y += 0.25 * (readings[s * length + k] - y);
        for (int k = length - 2; k >= 0; k--)
            row[k] = y += 0.25 * (row[k] - y);
        for (int k = 0; k < length; k++)
            smoothed[s * length + k] = (float)row[k];
    }
}
