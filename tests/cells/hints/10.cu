#include <memory>
std::unique_ptr<int> alone(new int(3));
{ auto f = [=] { return *alone; }; f(); }
