const int c = 7;
room()
