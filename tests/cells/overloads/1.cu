int over(int x) { return 1; }
