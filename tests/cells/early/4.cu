int set = 2;
for (int i = 0; i < 3; i++) { if (i == 1) return 0; printf("%d\n", i); }
int z = 7;
printf("z %d\n", z);
