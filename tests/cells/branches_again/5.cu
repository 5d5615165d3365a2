#ifdef DEBUG
int f() { return 1; }
#else
int g() { return 40; }
int more = f() + 6;
#endif
