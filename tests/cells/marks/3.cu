kk<<<1, 1>>>(q); cudaDeviceSynchronize();
printf("%g %d %d %d %d %g %g\n", *q, hd(1), il(1), em(3), tw(4), below(2), Vec().len());
