// left it says __NVCC
#ifdef __NVCC__
int compiler = 1;
#endif
