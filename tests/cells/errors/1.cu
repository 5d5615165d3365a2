int good = 1;
int bad = good + nowhere;
void f() {
    int unused;
    undefined_call(1);
}
auto index = [] { return 3; };
std::vector<int> w;
struct missing { int a; }
