cudaMallocArray(&array, nullptr, 2);
exit(3);
