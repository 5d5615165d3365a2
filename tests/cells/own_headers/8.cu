spoil<<<1, 1>>>(out);
cudaDeviceSynchronize();
