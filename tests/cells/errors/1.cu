int good = 1;
int bad = good + nowhere;
void f() {
    int unused;
    undefined_call(1);
}
int index = 3;
std::vector<int> w;
struct missing { int a; }
