int *made, got;
cudaMalloc(&made, 4);
fill<<<1, 1>>>(made);
cudaMemcpy(&got, made, 4, cudaMemcpyDeviceToHost);
got
