int zz = 1; ::k<<<1, 1, 0, 0>>>(&m1); cudaDeviceSynchronize(); m1 + zz
