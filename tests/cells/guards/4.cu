#include <iostream>
int f() {
  std::cout << "x"; }
f();
