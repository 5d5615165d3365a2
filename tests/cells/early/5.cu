#define CUDA_CALL(x) do { if((x)!=cudaSuccess) { printf("Error at %s:%d\n",__FILE__,__LINE__); return EXIT_FAILURE;}} while(0)
#define BARE(x) if (x) return;
float *p;
CUDA_CALL(cudaMalloc(&p, 4));
CUDA_CALL(cudaMalloc(&p, 1ull << 50));
printf("never\n");
int later = 3;
