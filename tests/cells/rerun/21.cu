x = 5;
get()
