#define size 5
size
