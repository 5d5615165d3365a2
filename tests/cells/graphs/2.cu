for (int i = 0; i < 10; i++)
    cudaGraphLaunch(instance, stream);
cudaStreamSynchronize(stream);
host[3]
