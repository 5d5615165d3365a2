// says: line 2
// says: threadIdX is not known; did you mean threadIdx?
// ----
__global__ void ti(int *a) {
    int i = threadIdX.x;
    a[i] = 1;
}
