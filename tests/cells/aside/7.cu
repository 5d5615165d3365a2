throw 1;
double j0 = 4;
