volatile int zero = 0;
int q = 1;
q = q / zero;
