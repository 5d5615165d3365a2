#ifdef DEBUG
int f() { return 1; }
#else
int f() { return 3; }
int g() { return 30; }
int more = 5;
#endif
int again = 2;
