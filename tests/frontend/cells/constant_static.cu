// made
inline int next() { static int count = 3; return count++; }
