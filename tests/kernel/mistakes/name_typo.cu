// says: line 3
// says: indx is not known; did you mean index?
// ----
__global__ void nt(int *a) {
    int index = threadIdx.x;
    a[indx] = 1;
}
