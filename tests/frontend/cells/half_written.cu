// left it is to be told
void f() { for (int i = 0;
