e = cudaSetDevice(5);
cudaSetDevice(6);
