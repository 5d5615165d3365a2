int a = 6, b = 7;
scale<4><<<1, 4, 4 * sizeof(float)>>>(p, 2.0f);
plain<<<1, 4>>>(p, 4);
bounded<<<1, 4>>>(p);
lab::inside<<<1, 1>>>(p);
chatty<<<1, 32>>>(a);
cudaFuncAttributes attributes;
CHECK(cudaFuncGetAttributes(&attributes, bounded));
CHECK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
printf("%.0f %.0f %.0f %.0f %d\n", h[0], h[1], h[2], h[3], attributes.maxThreadsPerBlock);
a * b
