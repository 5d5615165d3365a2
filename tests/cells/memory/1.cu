#include <cstring>
#include <vector>
std::vector<char *> held;
int kept = 41;
void take() {
    char *more = new char[50 << 20];
    memset(more, 1, 50 << 20);
    held.push_back(more);
}
for (;;)
    take();
