#include <stdexcept>
int inner(int n) {
    if (n == 0)
        throw std::runtime_error("deep down");
    return inner(n - 1) + 1;
}
int outer() {
    try {
        throw 1;
    } catch (int) {
    }
    return inner(1);
}
outer()
