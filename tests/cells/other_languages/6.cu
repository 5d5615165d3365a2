print("x");
