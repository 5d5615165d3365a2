// the commonest line
k<<<1, 1>>>( &m1 ); cudaDeviceSynchronize(); m1
