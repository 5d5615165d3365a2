int first = unknown_thing;
int second = 5 6;
