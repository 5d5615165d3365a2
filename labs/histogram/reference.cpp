/* Counts one element after the other. */
void reference(const unsigned char *data, int *bins, int n) {
    for (int v = 0; v < 256; v++)
        bins[v] = 0;
    for (int i = 0; i < n; i++)
        bins[data[i]]++;
}
