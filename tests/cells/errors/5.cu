int declared(int);
declared(3)
