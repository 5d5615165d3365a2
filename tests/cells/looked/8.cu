(void)cudaSetDevice(5);
