apply<<<1, 1>>>(out, outer);
cudaDeviceSynchronize();
printf("%d\n", *out);
