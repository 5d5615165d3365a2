constexpr long spin() { long n = 0; for (;;) n++; return n; }
int nothing = 1;
constexpr long spun = spin();
