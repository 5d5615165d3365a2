// left it is to be told: use of undeclared identifier
int b = nowhere;
