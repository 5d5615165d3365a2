cudaDeviceProp prop;
cudaMemPrefetchAsync(nullptr, 4, number);
prop.clockRate + twicee(3);
cudaThreadSynchronize();
