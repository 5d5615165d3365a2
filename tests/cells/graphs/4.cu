cudaGraph_t half;
printf("%s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &half)));
cudaGetLastError();
cudaGraphLaunch(instance, stream);
host[3]
