#include <vector>
int forever(int x) {
    for (;;)
        if (x) return 1;
}
int main_like(std::vector<int> v) { return v.at(0) + forever(1); }
main_like({41})
