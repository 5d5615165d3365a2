int *null = nullptr;
int zero = 0;

*null = 3;
