#ifdef DEBUG
int f() { return 1; }
#else
int f() { return 2; }
int g() { return 20; }
#endif
int again = 1;
