row1[2] = 60; x = 11; *y = 22;
printf("%d %d %d %d\n", arr[1][2], arr[0][0], arr[0][1], z);
