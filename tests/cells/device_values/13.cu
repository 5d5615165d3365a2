shared = 1;
inc<<<1, 1>>>();
shared
