int y = 3;
#define SIZE 7
*(int *)0 = y;
