if (x == 1) { Loud l{3}; return; }
printf("never\n");
int y = 4;
