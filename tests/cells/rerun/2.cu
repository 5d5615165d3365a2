
CHECK(counter < 0);
where<<<1, 32>>>();
cudaDeviceSynchronize();
printf("host at %s:%d\n", __FILE__, __LINE__);
fprintf(stderr, "%s\n", __FILE__);
++counter
