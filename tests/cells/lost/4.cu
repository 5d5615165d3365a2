fill<<<1, 1>>>(nullptr);
