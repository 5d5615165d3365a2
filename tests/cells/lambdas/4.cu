__global__ void uses(int *x) { *x = factor; }
