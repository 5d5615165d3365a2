#include <memory>
std::unique_ptr<int> alone(new int(3));
auto owner = [p = std::move(alone)] { return *p; };
owner() + (alone == nullptr)
