#include <memory>
int total = 0;
std::unique_ptr<int> alone(new int(3));
for (int i = 0; i < 2; i++) { auto f = [=] { total += i; }; f(); }
auto never = [&unheard] { return unheard; };
