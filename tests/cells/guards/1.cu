#include <vector>
std::vector<int> u = {1, 2, 3};
int at(int i) {
    return u[i];
}
