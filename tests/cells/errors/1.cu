int good = 1;
int bad = good + nowhere;
void f() {
    int unused;
    undefined_call(1);
}
