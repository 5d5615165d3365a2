
int *nowhere = nullptr;
*nowhere = 1;
