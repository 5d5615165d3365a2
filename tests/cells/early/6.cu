try { if (x) return "s"; } catch (...) { printf("caught\n"); }
printf("never\n");
