__device__ int counter = 70;
counter
