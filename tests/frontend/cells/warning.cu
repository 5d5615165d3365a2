// left it is to be told: unused variable
void f() { int unused; }
