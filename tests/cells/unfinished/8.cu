struct Loud {
    Loud() { puts("made"); }
};
int first = 1;
throw first;
Loud loud;
