#include <string>
namespace q {
std::string p;
auto w = [c = p] { return c; };
}
