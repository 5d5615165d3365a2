struct S {
#include <climits>
    int most = INT_MAX;
} s;
s.most
