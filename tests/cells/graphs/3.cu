cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
add<<<1, 4, 0, stream>>>(a, 1);
