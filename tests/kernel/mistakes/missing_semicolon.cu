// says: line 3
// says: look at the end of the line above
// ----
__global__ void mc(int *a) {
    int i = threadIdx.x
    a[i] = i;
}
