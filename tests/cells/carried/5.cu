int unrelated = 5;
__device__ float f(float x, float y) { return x + y; }
launch()
