// says: line 3
// says: indx is not known; is index meant?
// ----
__global__ void nt(int *a) {
    int index = threadIdx.x;
    a[indx] = 1;
}
