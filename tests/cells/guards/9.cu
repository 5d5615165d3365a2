#include <memory>
int main() {
    std::unique_ptr<int> p;
    return *p;
}
