// says: line 3
// says: A ; is missing at the end of this line
// ----
__global__ void mc(int *a) {
    int i = threadIdx.x
    a[i] = i;
}
