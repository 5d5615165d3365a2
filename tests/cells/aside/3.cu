index = 50; y1 = 1; yn[1] = 100;
double time = 1.5;
srand(time(0));
constant<<<1, 1>>>(x);
cudaDeviceSynchronize();
printf("%d %.1f %.1f %d %.1f %d %.0f\n", local(2), scaled(3.0), copied(1), shared(), listed(), max(max, 20), x[0]);
time + Seed().set + (std::time(nullptr) > 0)
