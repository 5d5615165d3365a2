typedef double real;
sizeof(real) + halved(3)
