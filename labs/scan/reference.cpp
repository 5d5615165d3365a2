/* Adds one element after the other. */
void reference(const int *in, int *out, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        out[i] = sum += in[i];
}
