#define ON_DEVICE __device__
printf("%d\n", sum([] ON_DEVICE (int i) { return 2 * i; }));
