printf("alive %d\n", got);
apply<<<1, 2048>>>(data);
