#include <iostream>
#include <thrust/pair.h>
thrust::pair<int, float> both(3, 0.5f);
std::string word = "warp";
struct streamed { operator void *() const { return nullptr; } } s; // as a stream shows it: 0
int n = 4;
