int *far = (int *)0x123456789000;
far[1] = 5;
