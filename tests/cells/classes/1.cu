#include <string>
#include <cstdio>
#include <unordered_set>
#include <functional>
struct Key {
    int a;
    static int made;
    int twice() const;
    bool operator==(const Key &o) const { return a == o.a; }
};
int Key::made = 4;
int Key::twice() const { made++; return 2 * a; }
template <> struct std::hash<Key> { size_t operator()(const Key &k) const { return k.a; } };
Key operator+(const Key &x, const Key &y) { return {x.a + y.a}; }
class Base { public: virtual ~Base() {} virtual int id() { return 1; } };
struct Derived : Base { int id() override { return 2; } };
Base *made = new Derived;
typedef struct { float re, im; } Complex;
Complex c = {1, 2};
enum class Mode { slow, fast = 7 };
std::function<int(int)> add3 = [](int x) { return x + 3; };
int (*pointer)(int) = nullptr;
int base = 5, &alias = base;
const char *const greeting = "hi";
const std::string title = "T";
struct { int x; } unnamed = {1};
int counter() { static int n = 0; return ++n; }
counter()
