const int *get() { return again; }
template <class T> const int *of() { return again; }
int(again - kept)
