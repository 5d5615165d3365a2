fill<<<1, 32>>>(a);
CHECK(cudaDeviceSynchronize());
int first;
cudaMemcpy(&first, a, sizeof first, cudaMemcpyDeviceToHost);
first
