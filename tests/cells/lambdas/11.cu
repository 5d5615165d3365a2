apply<<<1, 1>>>(out, outer);
cudaDeviceSynchronize();
printf("%d\n", *out);
auto inner = [=](int m) { sum([=] __device__(int i) { return i * m; }); return m; };
