auto strays = [out = out] __device__(int i) {
    out[i + 1000000] = 3;
    return i;
};
apply<<<1, 32>>>(out, strays);
cudaDeviceSynchronize();
