// made
__global__ void square(float *, int);
extern float *x;
static __wb_end run() { square<<<4, 256>>>(x, 1000); cudaDeviceSynchronize(); printf("%d\n", max(3, min(4, 5))); return __wb_end(); }
static int ran = (run().go_on(), wb_cell_finished = 1);
