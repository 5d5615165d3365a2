#include <cstdio>
#include <iostream>
int a, b;
scanf("%d", &a) + 10 * (feof(stdin) != 0)
