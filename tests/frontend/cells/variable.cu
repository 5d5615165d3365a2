// made
int a = 41;
double b[3] = {1, 2, 3};
static __wb_end run() { a++; printf("%d %g\n", a, b[1]); return __wb_end(); }
static int ran = (run().go_on(), wb_cell_finished = 1);
