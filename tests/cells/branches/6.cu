#if 1
double level = 2.5;
#else
char level = 'a';
#endif
