// made
#line 3 "cell [4567]"
__device__ inline float lookup(int i) { return i; }
#line 1 "cell [0123]"
int n = 3;
