static inline cudaError_t choose_here(int d) { return cudaSetDevice(d); }
int main() {
    int n;
    cudaGetDeviceCount(&n);
    choose_here(n);
}
