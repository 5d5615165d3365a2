const int c = 5;
typedef int d;
struct S { int v[c]; };
int room() { return sizeof(S) / 4; }
