int *taken;
cudaMalloc(&taken, 4);
free(taken);
